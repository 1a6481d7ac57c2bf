import type { RawResponse } from '@bough/core';
import { callId, nodeId, projectId, rawPayload } from '@bough/core';
import { buildContentBlocksForProvider, createProvider, simulatedDeployments } from '@bough/providers';
import { describe, expect, it } from 'vitest';
import { readBody } from '../dialects/index.ts';
import { createTokens } from '../route/token.ts';
import { FIRM_START, plainestBody, repairBody, replyFirm, requestFirms } from './index.ts';

const [deployment] = simulatedDeployments('http://127.0.0.1:1');
if (deployment === undefined) throw new Error('The simulator has no deployment.');
const provider = createProvider(deployment, { key: null });
const headers = { 'anthropic-version': '2023-06-01' };

function claude(body: Record<string, unknown>): Parameters<typeof repairBody>[0] {
  const text = JSON.stringify({ model: 'sim-interleaved', max_tokens: 100, ...body });
  const read = readBody('anthropic-messages', text);
  if (read === null) throw new Error('The body is not understood.');
  return { body: read, provider, headers, isIntact: false, nodeOf: () => nodeId('unknown'), rawOf: () => undefined };
}

const geminiDeployment = simulatedDeployments('http://127.0.0.1:1').find(({ protocol }) => protocol === 'gemini');
if (geminiDeployment === undefined) throw new Error('The simulator does not speak gemini.');
const gemini = createProvider(geminiDeployment, { key: null });

/** A reply that calls a tool without an id, and what Gemini CLI makes of it: an id of its own, and a stand-in. */
function geminiCli(text: Record<string, unknown>): Parameters<typeof repairBody>[0] {
  const made = [{ text: 'I look.', thoughtSignature: 'c2VhbA==' }, { functionCall: { name: 'look', args: {} } }];
  const answer = { candidates: [{ content: { role: 'model', parts: made }, finishReason: 'STOP', index: 0 }] };
  const raw = {
    ...gemini.issuer('gemini-2.5-pro'),
    api: 'gemini',
    version: 1,
    capturedAt: '2026-11-16T00:00:00.000Z',
    complete: true,
    payload: rawPayload('gemini', [], JSON.stringify(answer)),
  } as const;
  const functionCall = { id: 'look_17_0', args: {}, name: 'look' };
  const functionResponse = { name: 'look', response: { output: 'x' }, id: 'look_17_0' };
  const contents = [
    { role: 'user', parts: [{ text: 'Look.' }] },
    { parts: [text, { functionCall, thoughtSignature: 'skip_thought_signature_validator' }], role: 'model' },
    { parts: [{ functionResponse }], role: 'user' },
  ];
  const read = readBody('gemini', JSON.stringify({ contents }), 'gemini-2.5-pro');
  if (read === null) throw new Error('The body is not understood.');
  return { body: read, provider: gemini, headers: {}, isIntact: false, nodeOf: nodeIdOfReply, rawOf: () => raw };
}
const nodeIdOfReply = () => nodeId('reply');

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };

describe('repair', () => {
  it('GW-43: a setting that the rulebook does not know is left alone', () => {
    const strange = { temperature: 3, output_config: { effort: 'immense' }, new_setting: [1] };
    expect(repairBody(claude({ ...strange, messages: [user('Hello')] }))).toBeNull();
  });

  it('GW-43: a call without a result is mended, and nothing else is touched', () => {
    const messages = [user('Look.'), assistant({ type: 'text', text: 'I look.' }, call), user('Never mind.')];
    const mended = repairBody(claude({ temperature: 3, messages }));
    expect(mended?.repairs.map(({ rule }) => rule)).toEqual(['ANT-PAIR-1']);
    expect(JSON.parse(mended?.text ?? '')).toEqual({
      model: 'sim-interleaved',
      max_tokens: 100,
      temperature: 3,
      messages: [user('Look.'), assistant({ type: 'text', text: 'I look.' }), user('Never mind.')],
    });
  });

  it('GW-41: what Gemini CLI adds to calls that came without an id or a signature is no damage', () => {
    expect(repairBody(geminiCli({ text: 'I look.', thoughtSignature: 'c2VhbA==' }))).toBeNull();
  });

  it('GW-42: a reply that is restored keeps the ids that the client gave its calls, because results name them', () => {
    const mended = repairBody(geminiCli({ text: 'I look.' }));
    expect(mended?.repairs.map(({ rule }) => rule)).toEqual(['restored']);
    const [, reply, result] = (JSON.parse(mended?.text ?? '') as { contents: { parts: unknown[] }[] }).contents;
    expect(reply?.parts).toEqual([
      { text: 'I look.', thoughtSignature: 'c2VhbA==' },
      { functionCall: { id: 'look_17_0', name: 'look', args: {} } },
    ]);
    expect(result?.parts).toMatchObject([{ functionResponse: { id: 'look_17_0' } }]);
  });

  it('GW-41: whether replies came back whole is known without reading what the client said', () => {
    const { body } = claude({ messages: [user('Look.'), assistant(call), user('Never mind.')] });
    const firms = requestFirms(body);
    expect(new Set(firms).size).toBe(2);
    // What was parsed once is not parsed again: nobody could read this as JSON.
    expect(requestFirms({ ...body, text: 'unread' })).toEqual(firms);
    const said = claude({ messages: [user('Look there.'), assistant(call), user('Go on.')] });
    expect(requestFirms(said.body)).toEqual(firms);
  });

  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const text = (words: string) => ({ type: 'text', text: words });
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'trees' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  it.each([
    ['thinks, speaks and calls', [thought, text('I look.'), call, { ...call, id: 'b', input: { at: [1, 'x'] } }]],
    ['hides its thought', [{ ...thought, thinking: '' }, text('Yes.')]],
    ['has encrypted thoughts', [{ type: 'redacted_thinking', data: 'd' }, text('Yes, '), text('no.')]],
    ['searched by itself', [text('I search.'), search, found, text('A tree.')]],
    ['quotes', [{ ...text('A tree.'), citations: [{ type: 'page_location', cited_text: 'tree' }] }]],
    ['says nothing', []],
  ])('GW-41: a reply that %s must come back as it was heard, which is how it would be sent', (_, content) => {
    const model = 'sim-interleaved';
    const response = { id: 'm', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn' };
    const raw: RawResponse = {
      ...provider.issuer(model),
      api: 'anthropic-messages',
      version: 1,
      capturedAt: '2026-11-16T00:00:00.000Z',
      complete: true,
      payload: { response: JSON.stringify(response) },
    };
    const reply = { raw, provider, model, tools: [] };
    const { body } = claude({ messages: [user('1'), assistant(...content), user('2')] });
    const back = requestFirms(body).at(-1);
    expect(replyFirm(FIRM_START, reply)).toBe(back);
    expect(replyFirm(FIRM_START, { ...reply, blocks: buildContentBlocksForProvider(raw) })).toBe(back);
  });

  it('GW-42: a reply in the same words under other seals is another reply, and stays; without seals it is this one', () => {
    const content = (signature: string) => [
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'text', text: 'Yes.' },
    ];
    const raw: RawResponse = {
      ...provider.issuer('sim-interleaved'),
      api: 'anthropic-messages',
      version: 1,
      capturedAt: '2026-11-16T00:00:00.000Z',
      complete: true,
      payload: {
        response: JSON.stringify({ id: 'm', role: 'assistant', content: content('stored'), stop_reason: 'end_turn' }),
      },
    };
    const said = (blocks: readonly unknown[]) => ({
      ...claude({ messages: [user('1'), assistant(...blocks), user('2')] }),
      rawOf: () => raw,
    });
    expect(repairBody(said(content('another')))).toBeNull();
    expect(repairBody(said(content('stored')))).toBeNull();
    const mended = repairBody(said(content('stored').slice(1)));
    expect(JSON.parse(mended?.text ?? '')).toMatchObject({ messages: [{}, { content: content('stored') }, {}] });
  });

  it('GW-45: what a route gave a client as a signature never reaches a provider', () => {
    const token = createTokens('secret').write({ project: projectId('p'), call: callId('c') });
    const thought = { type: 'thinking', thinking: 'Hm.', signature: token };
    const own = assistant({ type: 'thinking', thinking: 'Mine.', signature: 'own' }, { type: 'text', text: 'B' });
    const messages = [user('1'), assistant(thought, { type: 'text', text: 'A' }), user('2'), own, user('3')];
    const mended = repairBody({ ...claude({ messages }), isIntact: true });
    expect(JSON.parse(mended?.text ?? '')).toMatchObject({
      messages: [user('1'), assistant({ type: 'text', text: 'A' }), user('2'), own, user('3')],
    });
  });

  it('GW-44: in its plainest form a conversation holds what was said, called and answered', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const result = user([{ type: 'tool_result', tool_use_id: 'a', content: 'x' }]);
    const plain = plainestBody(claude({ messages: [user('Look.'), assistant(thought, call), result] }));
    expect(JSON.parse(plain?.text ?? '')).toMatchObject({ messages: [user('Look.'), assistant(call), result] });
    expect(plain?.repairs.map(({ rule }) => rule)).toEqual(['plainest']);
    expect(plainestBody(claude({ messages: [user('Look.'), assistant(call), result] }))).toBeNull();
  });
});
