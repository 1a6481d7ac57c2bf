import type { ProtocolId, RawResponse } from '@bough/core';
import { describe, expect, it } from 'vitest';
import type { CachedRequest } from './cache.ts';
import { cacheStory } from './cache.ts';
import { bodyDifference } from './difference.ts';
import { toldMiss } from './told.ts';

const AT = Date.UTC(2026, 0, 1);
const MARK = { cache_control: { type: 'ephemeral' } };

const request = (body: object | string, over: Partial<CachedRequest['call']> = {}, minutes = 0): CachedRequest => ({
  call: {
    model: 'm',
    usage: { inputTokens: 10_000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
    startedAt: new Date(AT + minutes * 60_000).toISOString(),
    ...over,
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const user = (text: string, more: object = {}) => ({ role: 'user', content: [{ type: 'text', text, ...more }] });
const reply = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const claude = (messages: readonly object[], more: object = {}) => ({
  tools: [{ name: 'ls', input_schema: {} }, { name: 'cat' }],
  system: [{ type: 'text', text: 'You help.', ...MARK }],
  messages,
  ...more,
});
const FIRST = claude([user('One', MARK)]);
const SECOND = claude([user('One'), reply('1'), user('Two', MARK)]);
const PRICE = { input: 10, output: 50, cachedInput: 1, cacheWrite: 12.5, asOf: '2026-11-01' };

const causeOf = (before: object, now: object, protocol: ProtocolId = 'anthropic-messages') =>
  cacheStory(protocol, request(before), request(now, {}, 1), PRICE).cause;

describe('why a cache missed', () => {
  it('GW-201: the first part that differs is named; marks, and what is added at the end, are no difference', () => {
    expect(causeOf(FIRST, SECOND)).toEqual({ kind: 'provider' });
    // The client went on in the message that was the last.
    expect(
      causeOf(
        FIRST,
        claude(
          [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'One' },
                { type: 'text', text: '!' },
              ],
            },
          ],
          MARK,
        ),
      ),
    ).toEqual({ kind: 'provider' });
    expect(causeOf(FIRST, claude([{ role: 'user', content: 'One' }, reply('1'), user('Two', MARK)]))).toEqual({
      kind: 'provider',
    });
    expect(
      causeOf(FIRST, {
        ...SECOND,
        tools: [
          { name: 'ls', input_schema: {} },
          { name: 'cat', description: 'x' },
        ],
      }),
    ).toEqual({ kind: 'tools', name: 'cat', at: 1 });
    expect(causeOf(FIRST, { ...SECOND, tools: [...FIRST.tools, { name: 'rm' }] })).toEqual({
      kind: 'tools',
      name: 'rm',
      at: 2,
    });
    expect(causeOf(FIRST, { ...SECOND, tools: FIRST.tools.slice(0, 1) })).toEqual({
      kind: 'tools',
      name: 'cat',
      at: 1,
    });
    expect(causeOf(FIRST, { ...SECOND, system: [{ type: 'text', text: 'Today is Monday.' }] })).toEqual({
      kind: 'system',
      at: 0,
    });
    expect(causeOf(FIRST, { ...SECOND, thinking: { type: 'enabled' } })).toEqual({
      kind: 'settings',
      name: 'thinking',
      at: 0,
    });
    expect(causeOf(SECOND, claude([user('One'), reply('one'), user('Two'), reply('2'), user('Three', MARK)]))).toEqual({
      kind: 'message',
      name: 'assistant',
      at: 1,
    });
  });

  it('GW-201: every protocol has its places', () => {
    const responses = (more: object) => ({
      instructions: 'Help.',
      tools: [{ type: 'function', name: 'ls' }],
      input: [{ role: 'user', content: 'One' }],
      ...more,
    });
    expect(causeOf(responses({}), responses({ instructions: 'Else.' }), 'openai-responses')).toEqual({
      kind: 'system',
      at: 0,
    });
    expect(causeOf(responses({}), responses({ reasoning: { effort: 'high' } }), 'openai-responses')).toMatchObject({
      kind: 'settings',
      name: 'reasoning',
    });
    expect(
      causeOf(responses({}), responses({ input: [{ role: 'user', content: 'Else' }] }), 'openai-responses'),
    ).toMatchObject({ kind: 'message', at: 0 });
    const chat = (messages: readonly object[]) => ({ messages: [{ role: 'system', content: 'Help.' }, ...messages] });
    const called = { role: 'assistant', content: null, tool_calls: [{ id: '1' }] };
    expect(
      causeOf(
        chat([user('One'), called]),
        chat([user('One'), { ...called, tool_calls: [{ id: '2' }] }]),
        'openai-chat',
      ),
    ).toEqual({ kind: 'message', name: 'assistant', at: 2 });
    const gemini = (text: string) => ({
      systemInstruction: { parts: [{ text: 'Help.' }] },
      contents: [{ role: 'user', parts: [{ text }] }],
    });
    expect(causeOf(gemini('One'), gemini('Else'), 'gemini')).toEqual({ kind: 'message', name: 'user', at: 0 });
  });

  it('GW-201: where nothing differs, what is known of the provider explains it', () => {
    const story = (before: CachedRequest | null, now: CachedRequest) =>
      cacheStory('anthropic-messages', before, now, PRICE);
    expect(story(null, request(FIRST)).cause).toEqual({ kind: 'first' });
    expect(story(request(FIRST, { model: 'other' }), request(SECOND)).cause).toEqual({ kind: 'model', name: 'other' });
    expect(story(request(FIRST), request(SECOND, {}, 6)).cause).toEqual({ kind: 'expired', minutes: 6 });
    const { tools } = FIRST;
    const [plain, next] = [
      { tools, messages: [user('One')] },
      { tools, messages: [user('One'), reply('1')] },
    ];
    expect(story(request(plain), request(next)).cause).toEqual({ kind: 'unmarked' });
    expect(story(request(plain), request({ ...next, tools: [] }))).toMatchObject({
      cause: { kind: 'unmarked' },
      lostTokens: 0,
    });
    const small = { usage: { inputTokens: 400, cachedInputTokens: 0, outputTokens: 1 } };
    expect(story(request(FIRST, small), request(SECOND, small)).cause).toEqual({ kind: 'short' });
    const far = claude([
      user('One'),
      ...Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? reply('1') : user('2'))),
      user('3', MARK),
    ]);
    expect(story(request(FIRST), request(far)).cause).toEqual({ kind: 'far', blocks: 25 });
    expect(story({ ...request(FIRST), body: null }, request(SECOND)).cause).toEqual({ kind: 'unknown' });
    expect(story(request('no JSON "cache_control"'), request(SECOND)).cause).toEqual({ kind: 'unknown' });
  });

  it('GW-202: a miss costs what was read anew, at what it would have cost from the cache; without prices nobody knows', () => {
    const hit = { usage: { inputTokens: 10_500, cachedInputTokens: 9_900, cacheWriteTokens: 600, outputTokens: 10 } };
    const good = cacheStory('anthropic-messages', request(FIRST), request(SECOND, hit), PRICE);
    expect(good).toMatchObject({ cause: { kind: 'hit' }, lostTokens: 100 });
    expect(good.savedCost).toBeCloseTo((9_900 * 9) / 1e6);
    const miss = { usage: { inputTokens: 10_500, cachedInputTokens: 0, cacheWriteTokens: 10_500, outputTokens: 10 } };
    const bad = cacheStory('anthropic-messages', request(FIRST), request(SECOND, miss), PRICE);
    expect(bad).toMatchObject({ lostTokens: 10_000, isEstimated: false, savedCost: 0 });
    // They were written again instead of being read.
    expect(bad.lostCost).toBeCloseTo((10_000 * 11.5) / 1e6);
    expect(cacheStory('anthropic-messages', request(FIRST), request(SECOND, miss), undefined)).toMatchObject({
      lostTokens: 10_000,
      lostCost: null,
      savedCost: null,
    });
    const uncounted = cacheStory(
      'gemini',
      request({ contents: [user('One')] }),
      request({ contents: [user('Else')] }, { usage: null }),
      PRICE,
    );
    expect(uncounted).toMatchObject({ cause: { kind: 'message' }, isEstimated: true, lostCost: null });
    expect(uncounted.lostTokens).toBeGreaterThan(0);
  });

  it('GW-202: what the provider itself says of a miss is told', () => {
    const raw = (payload: RawResponse['payload']): RawResponse => ({
      provider: 'p',
      deployment: 'd',
      model: 'm',
      api: 'anthropic-messages',
      version: 1,
      capturedAt: '',
      complete: true,
      payload,
    });
    const start = {
      type: 'message_start',
      message: { diagnostics: { cache_miss_reason: { type: 'tools_changed', cache_missed_input_tokens: 7 } } },
    };
    expect(toldMiss(raw([{ event: 'message_start', data: JSON.stringify(start) }]))).toEqual({
      reason: 'tools_changed',
      missedTokens: 7,
    });
    const done = { response: { prompt_cache_diagnostics: { type: 'cache_miss', reason: 'input_changed' } } };
    expect(
      toldMiss(raw({ events: [{ event: 'response.completed', data: JSON.stringify(done) }], response: null })),
    ).toEqual({
      reason: 'input_changed',
      missedTokens: null,
    });
    expect(toldMiss(raw({ response: '{"diagnostics":{"cache_miss_reason":null}}' }))).toBeNull();
    expect(toldMiss(raw(['{"cache_miss":']))).toBeNull();
  });
});

it('GW-203: a difference between bodies is read line by line; huge values are cut, and so is its end', () => {
  const came = { model: 'm', messages: [{ role: 'user', content: 'a' }], picture: 'x'.repeat(1e6) };
  const sent = {
    ...came,
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
    picture: 'y'.repeat(1e6),
  };
  const { lines, added, removed, more } = bodyDifference(JSON.stringify(came), JSON.stringify(sent));
  expect(lines).toContainEqual({ kind: 'added', text: '      "content": "b"' });
  expect([added, removed, more]).toEqual([5, 1, 0]);
  expect(JSON.stringify(lines).length).toBeLessThan(10_000);
  const list = (n: number) => JSON.stringify(Array.from({ length: 5_000 }, (_, at) => at * n));
  expect(bodyDifference(list(2), list(-3))).toMatchObject({ more: expect.any(Number), lines: { length: 4_000 } });
});
