import type { ProtocolId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientBody } from '../dialect.ts';
import { cutBody, cutUpTo } from '../record/exchange.ts';
import { trailsOf } from '../record/trail.ts';
import { requestFirms } from '../repair/firm.ts';
import { commonLength, readBefore, readBody, resumeBody } from './index.ts';

const PROTOCOLS = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'] as const;
/** Long enough that some segments stand alone. */
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((word) => `${word} `.repeat(60));
const id = fc.constantFrom('a', 'b', 'c');

type Say = (kind: 'user' | 'reply' | 'call' | 'result' | 'note', text: string, id: string) => unknown;

const SAY: Readonly<Record<ProtocolId, Say>> = {
  'anthropic-messages': (kind, text, call) => {
    const block = { type: 'text', text };
    if (kind === 'user') return { role: 'user', content: text };
    if (kind === 'note') return { role: 'user', content: [{ ...block, cache_control: { type: 'ephemeral' } }] };
    if (kind === 'result')
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: text }, block] };
    if (kind === 'reply')
      return { role: 'assistant', content: [{ type: 'thinking', thinking: text, signature: call }, block] };
    return { role: 'assistant', content: [block, { type: 'tool_use', id: call, name: 'read', input: { call } }] };
  },
  'openai-responses': (kind, text, call) => {
    if (kind === 'user') return { role: 'user', content: text };
    if (kind === 'note') return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
    if (kind === 'result') return { type: 'function_call_output', call_id: call, output: text };
    if (kind === 'reply') return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
    return { type: 'function_call', call_id: call, name: 'read', arguments: JSON.stringify({ text }) };
  },
  'openai-chat': (kind, text, call) => {
    if (kind === 'user') return { role: 'user', content: text };
    if (kind === 'note') return { role: 'system', content: text };
    if (kind === 'result') return { role: 'tool', tool_call_id: call, content: text };
    if (kind === 'reply') return { role: 'assistant', content: text };
    const calls = [{ id: call, type: 'function', function: { name: 'read', arguments: '{}' } }];
    return { role: 'assistant', content: text, tool_calls: calls };
  },
  // Calls without ids are numbered over the whole conversation.
  gemini: (kind, text, call) => {
    if (kind === 'user' || kind === 'note') return { role: 'user', parts: [{ text }] };
    if (kind === 'result')
      return { role: 'user', parts: [{ functionResponse: { name: call, response: { output: text } } }] };
    if (kind === 'reply') return { role: 'model', parts: [{ text, thoughtSignature: 'c2ln' }] };
    return { role: 'model', parts: [{ text }, { functionCall: { name: call, args: { text } } }] };
  },
};

const LIST: Readonly<Record<ProtocolId, string>> = {
  'anthropic-messages': 'messages',
  'openai-responses': 'input',
  'openai-chat': 'messages',
  gemini: 'contents',
};

const kind = fc.constantFrom('user', 'reply', 'call', 'result', 'note', 'call');
const saying = fc.tuple(kind, words, id);
/** Two histories that begin alike, and how their bodies are written. */
const histories = fc.record({
  protocol: fc.constantFrom(...PROTOCOLS),
  shared: fc.array(saying, { minLength: 8, maxLength: 24 }),
  left: fc.array(saying, { maxLength: 3 }),
  came: fc.array(saying, { maxLength: 6 }),
  space: fc.constantFrom(undefined, 1),
  isListFirst: fc.boolean(),
});

function written(
  protocol: ProtocolId,
  list: readonly (readonly [Parameters<Say>[0], string, string])[],
  { space, isListFirst }: { readonly space: number | undefined; readonly isListFirst: boolean },
): string {
  const messages = { [LIST[protocol]]: list.map(([what, text, call]) => SAY[protocol](what, text, call)) };
  const rest = { model: 'm', tools: [{ name: 'read', input_schema: { type: 'object' } }], metadata: { of: 'test' } };
  return JSON.stringify(isListFirst ? { ...messages, ...rest } : { ...rest, ...messages }, null, space);
}

const plainly = ({ messages, json, ...rest }: ClientBody): unknown => ({
  ...rest,
  resumed: null,
  json: json(),
  messages: messages.map(({ from, to, parts }) => ({
    from,
    to,
    parts: parts.map(({ role, blocks, files, likeness, toolCallId, isError }) => ({
      role,
      blocks,
      files,
      likeness,
      toolCallId,
      isError: isError ?? false,
    })),
  })),
});

function readOn(protocol: ProtocolId, earlier: ClientBody, text: string): ClientBody | null {
  const reading = readBefore(earlier, null);
  if (reading === null) return null;
  const common = commonLength(text, reading.text);
  return resumeBody(protocol, text, undefined, { reading, common }, () => readBody(protocol, text));
}

describe('reading on', () => {
  it('GW-244: a body that begins like an earlier one is read, judged and cut as if it were read whole', () => {
    const resumed = new Map<ProtocolId, number>();
    fc.assert(
      fc.property(histories, ({ protocol, shared, left, came, ...form }) => {
        const earlier = readBody(protocol, written(protocol, [...shared, ...left], form));
        const text = written(protocol, [...shared, ...came], form);
        const whole = readBody(protocol, text);
        const body = earlier === null ? null : readOn(protocol, earlier, text);
        if (body === null || whole === null || earlier === null || body.resumed === undefined) return;
        resumed.set(protocol, (resumed.get(protocol) ?? 0) + 1);
        expect(plainly(body)).toEqual(plainly(whole));
        expect(requestFirms(body, requestFirms(earlier))).toEqual(requestFirms(whole));
        const known = { start: 's', trails: trailsOf(earlier, null, 's').map(({ trail }) => trail) };
        const trails = trailsOf(body, null, 's', true, known).map(({ trail }) => trail);
        expect(trails).toEqual(trailsOf(whole, null, 's').map(({ trail }) => trail));
        const to = body.messages[body.resumed.from - 1]?.to ?? 0;
        const before = cutUpTo(cutBody(earlier.text), text, body.resumed.list, to);
        expect(before.ends.length).toBeGreaterThan(0);
        expect(cutBody(text, before).ends).toEqual(cutBody(text).ends);
      }),
      { numRuns: 300 },
    );
    // A property about nothing would hold, too.
    for (const protocol of PROTOCOLS) expect(resumed.get(protocol) ?? 0, protocol).toBeGreaterThan(10);
  });

  it('GW-244: what an earlier body cannot vouch for is read whole', () => {
    const long = 'word '.repeat(2_000);
    const say = SAY['anthropic-messages'];
    const list = [say('user', long, 'a'), say('reply', long, 'a'), say('user', long, 'a'), say('reply', long, 'a')];
    const history = JSON.stringify(list).slice(1, -1);
    const earlier = readBody('anthropic-messages', `{"model":"m","messages":[${history}]}`);
    if (earlier === null) throw new Error('It is a body.');
    const next = JSON.stringify(say('user', 'And?', 'a'));
    const good = `{"model":"m","messages":[${history},${next}]}`;
    expect(readOn('anthropic-messages', earlier, good)?.resumed?.from).toBe(3);
    // Of a list that is written twice, the last one counts; and what is no JSON was not understood before either.
    expect(readOn('anthropic-messages', earlier, `${good.slice(0, -1)},"messages":[${next}]}`)).toBeNull();
    expect(readOn('anthropic-messages', earlier, good.slice(0, -1))).toBeNull();
    expect(readOn('anthropic-messages', earlier, `${good.slice(0, -1)},no"key":1}`)).toBeNull();
    expect(readOn('anthropic-messages', earlier, `{"model":"n","messages":[${history},${next}]}`)).toBeNull();
    expect(readOn('anthropic-messages', earlier, good.replace('"assistant"', '"nobody"'))).toBeNull();
  });

  it('GW-244: two texts have their common beginning in common, however long they are', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.string(), fc.string(), (length, one, other) => {
        const start = 'ab€'.repeat(length / 3);
        const common = commonLength(start + one, start + other);
        expect((start + one).slice(0, common)).toBe((start + other).slice(0, common));
        const differs = (start + one)[common] !== (start + other)[common] || common === (start + one).length;
        expect(differs).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
