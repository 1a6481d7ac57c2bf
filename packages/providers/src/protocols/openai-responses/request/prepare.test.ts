import { deriveTextFromBlocks, nodeId } from '@bough/core';
import { describe, expect, test } from 'vitest';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import { call, ISSUER, message, rawOf, reasoning, responseOf, streamOf } from '../testing.ts';
import { openaiResponses } from '../index.ts';
import { openaiResponsesModelInfo } from '../models.ts';
import type { Turn } from './testing.ts';
import { assistant, bodyOf, inputOf, OPENAI, own, prepare, result, user } from './testing.ts';

const STORING = { ...OPENAI, quirks: { ...OPENAI.quirks, storeResponses: true } };
const clean = (request: PreparedRequest): void => expect(request.violations).toEqual([]);

const THOUGHT = reasoning('a', ['Think.']);
const ANSWER = message('b', 'Seven.', { phase: 'final_answer' });

describe('the body', () => {
  test('OAR-Q2: by default nothing is stored, and encrypted reasoning is asked for', () => {
    const request = prepare([user('u1', 'Three and four?')]);
    expect(bodyOf(request)).toEqual({
      model: 'gpt-5.5',
      instructions: 'Be brief.',
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Three and four?' }] }],
      max_output_tokens: 1000,
      stream: true,
    });
    expect(request.url).toBe('https://api.openai.com/v1/responses');
    expect(request.issuer).toEqual(ISSUER);
    clean(request);
  });

  test('OAR-Q1: the same input gives the same bytes, and the next request begins with them', () => {
    const first = [user('u1', 'Three and four?')];
    const next = [...first, own('a1', [THOUGHT, ANSWER]), user('u2', 'And five?')];
    expect(prepare(first).body).toBe(prepare(first).body);
    // Up to and including the last item; what follows may differ from request to request.
    const upTo = prepare(first).body.indexOf('}]}]') + 3;
    expect(upTo).toBeGreaterThan(3);
    expect(prepare(next).body.startsWith(prepare(first).body.slice(0, upTo))).toBe(true);
    expect(prepare(next, { maxTokens: 17, toolChoice: 'none' }).body.slice(0, upTo)).toBe(
      prepare(first).body.slice(0, upTo),
    );
  });

  test('OAR-Q1: what was rendered once is sent again byte for byte, even when its raw is gone', () => {
    const turns = [user('u1', 'Q'), own('a1', [THOUGHT, ANSWER]), user('u2', 'Again?')];
    const first = prepare(turns);
    const stored = new Map(first.renderings.map(({ nodeId: id, key, bytes }) => [`${id} ${key}`, bytes]));
    expect(stored.size).toBe(3);
    const marked = new Map([...stored].map(([key, bytes]) => [key, bytes.replaceAll('","', '" ,"')]));
    const second = prepare(turns, { rawOf: () => undefined, renderingOf: (id, key) => marked.get(`${id} ${key}`) });
    expect(second.body).toContain([...marked.values()].join(','));
    expect(second.renderings).toEqual([]);
    expect(second.notes).toEqual([]);
  });

  test('OAR-Q1: a rendering is found only where the node is sent in the same way', () => {
    const turn = own('a1', [THOUGHT, ANSWER]);
    const stored = prepare([user('u1', 'Q'), turn, user('u2', 'x')]).renderings;
    const omitted = { ...turn, item: { ...turn.item, reasoning: 'omit' as const } };
    const keys = new Set<string>();
    prepare([omitted], { renderingOf: (_, key) => void keys.add(key) });
    prepare([turn], { model: OPENAI.modelInfo('gpt-5.4'), renderingOf: (_, key) => void keys.add(key) });
    expect(keys.size).toBe(2);
    for (const { key } of stored) expect(keys.has(key)).toBe(false);
  });

  test('OAR-Q1: a stored rendering that is no JSON is made anew', () => {
    const request = prepare([user('u1', 'Q')], { renderingOf: () => '{"type":' });
    expect(inputOf(request)).toHaveLength(1);
    expect(request.renderings).toHaveLength(1);
  });
});

describe('own replies', () => {
  test('OAR-Q3: they go back as they came, fields of tomorrow and phase included', () => {
    const items = [THOUGHT, { ...ANSWER, tomorrow: [1] }];
    const request = prepare([user('u1', 'Q'), own('a1', items), user('u2', 'More?')]);
    expect(inputOf(request).slice(1, 3)).toEqual(items);
    expect(request.notes).toEqual([]);
    clean(request);
  });

  test('OAR-Q3: reasoning goes back without status and plain text, and with a list of summaries', () => {
    const { summary: _, ...bare } = THOUGHT;
    const item = { ...bare, status: 'completed', content: [{ type: 'reasoning_text', text: 'x' }] };
    const request = prepare([user('u1', 'Q'), own('a1', [item, ANSWER]), user('u2', 'More?')]);
    expect(inputOf(request)[1]).toEqual({ ...bare, summary: [] });
    clean(request);
  });

  test('OAR-Q4: reasoning without encrypted content stays out, with the ids of what it led to', () => {
    const request = prepare([user('u1', 'Q'), own('a1', [reasoning('a', ['Think.'], null), ANSWER]), user('u2', 'x')]);
    expect(inputOf(request)[1]).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', annotations: [], text: 'Seven.' }],
      phase: 'final_answer',
    });
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'thinking_unsigned' }]);
    clean(request);
  });

  test('OAR-Q4: where the call that reasoning led to is not sent, the reasoning is not sent either', () => {
    const items = [THOUGHT, call('c', 'add', '{}'), call('d', 'mul', '{"a":1}')];
    const turn = own('a1', items, { answeredCalls: ['call_d'] });
    const request = prepare([user('u1', 'Q'), turn, result('t1', 'call_d', '1')]);
    expect(inputOf(request).slice(1)).toEqual([
      { type: 'function_call', call_id: 'call_d', name: 'mul', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_d', output: '1' },
    ]);
    expect(request.notes).toMatchObject([{ reason: 'thinking_not_replayable' }]);
  });

  test('OAR-Q4: an id that the API would refuse takes the ids of its whole group with it', () => {
    const items = [{ ...THOUGHT, id: 'capture-1' }, ANSWER];
    const sent = inputOf(prepare([user('u1', 'Q'), own('a1', items), user('u2', 'x')]));
    expect(sent[1]).toEqual({ type: 'reasoning', summary: THOUGHT['summary'], encrypted_content: 'gAAAA-a' });
    expect(sent[2]).not.toHaveProperty('id');
    expect(sent[2]).toHaveProperty('phase', 'final_answer');
  });

  test('OAR-Q4: tools of the provider go back with their reasoning, and stay out without it', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
    const whole = [THOUGHT, search, reasoning('n', ['Next.']), ANSWER];
    expect(inputOf(prepare([user('u1', 'Q'), own('a1', whole), user('u2', 'x')])).slice(1, 5)).toEqual(whole);
    const request = prepare([user('u1', 'Q'), own('a1', whole, { reasoning: 'omit' }), user('u2', 'x')]);
    expect(inputOf(request).map(({ type }) => type)).toEqual(['message', 'message', 'message']);
    expect(request.notes).toMatchObject([{ reason: 'custom_block_not_sent' }]);
  });

  test('OAR-Q5: with reasoning left out, text and calls stay, without ids', () => {
    const items = [THOUGHT, message('b', 'Wait.', { phase: 'commentary' }), call('c', 'add', '{"a": 1.0}')];
    const request = prepare([user('u1', 'Q'), own('a1', items, { reasoning: 'omit' }), result('t1', 'call_c', '1')]);
    expect(inputOf(request).slice(1, 3)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', annotations: [], text: 'Wait.' }],
        phase: 'commentary',
      },
      { type: 'function_call', call_id: 'call_c', name: 'add', arguments: '{"a": 1.0}' },
    ]);
    expect(request.body).not.toContain('"id"');
    expect(request.notes).toEqual([]);
    clean(request);
  });

  test('OAR-Q6: a reply that broke off is valid wherever it broke', () => {
    const items = [THOUGHT, message('b', 'Wait for it.'), reasoning('n', ['Next.']), call('c', 'add', '{"a": 1}')];
    const events = streamOf(items);
    for (let length = 3; length < events.length; length += 1) {
      const raw = rawOf(events.slice(0, length));
      if (openaiResponses.toContentBlocks(raw).length === 0) continue;
      const turn = own('a1', [], { partial: true }, raw);
      const answers = turn.item.answeredCalls.map((id) => result('t1', id, '1'));
      const request = prepare([user('u1', 'Q'), turn, ...answers, user('u2', 'Go on.')]);
      clean(request);
      const sent = inputOf(request);
      expect(sent.some(({ status }) => status === 'in_progress' || status === 'incomplete')).toBe(false);
      expect(sent.at(-2)?.['type']).not.toBe('reasoning');
      const text = deriveTextFromBlocks(openaiResponses.toContentBlocks(raw));
      expect(request.body).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  test('OAR-Q6: where the text broke off, it goes back as text, and the reasoning behind it stays out', () => {
    const events = streamOf([THOUGHT, message('b', 'Wait for it.', { phase: 'final_answer' })]);
    const raw = rawOf(
      events.slice(
        0,
        events.findIndex(({ data }) => data.includes('"delta":" it."')),
      ),
    );
    const request = prepare([user('u1', 'Q'), own('a1', [], { partial: true }, raw), user('u2', 'Go on.')]);
    expect(inputOf(request).slice(1, 2)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Wait for' }],
        phase: 'final_answer',
      },
    ]);
    expect(request.notes).toMatchObject([{ reason: 'thinking_not_replayable' }]);
  });

  test('OAR-Q6: an item that was only announced is not sent', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
    const events = streamOf([ANSWER, search]);
    const raw = rawOf(
      events.slice(
        0,
        events.findLastIndex(({ event }) => event === 'response.output_item.done'),
      ),
    );
    const request = prepare([user('u1', 'Q'), own('a1', [], { partial: true }, raw), user('u2', 'Go on.')]);
    expect(inputOf(request).map(({ type }) => type)).toEqual(['message', 'message', 'message']);
  });

  test('OAR-Q6: reasoning alone is never sent', () => {
    const request = prepare([user('u1', 'Q'), own('a1', [THOUGHT], { partial: true }), user('u2', 'Go on.')]);
    expect(inputOf(request).map(({ role }) => role)).toEqual(['user', 'user']);
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'thinking_not_replayable' }]);
  });

  test('OAR-Q7: calls that are not answered, or whose arguments are no JSON, are not sent', () => {
    const items = [ANSWER, call('c', 'add', '{}'), call('d', 'add', '{"a":')];
    const turn = own('a1', items, { answeredCalls: ['call_d'] });
    expect(inputOf(prepare([user('u1', 'Q'), turn, user('u2', 'x')])).map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
    ]);
  });

  test.each([
    ['another deployment', { ...ISSUER, deployment: 'openai_responses@proxy.example/v1' }],
    ['another provider', { ...ISSUER, provider: 'lab' }],
  ])('OAR-Q8: the reply of %s goes out as text and calls', (_, issuer) => {
    const items = [THOUGHT, ANSWER, call('c', 'add', '{"a":1}')];
    const turn = own('a1', items, {}, rawOf(streamOf(items), issuer));
    const request = prepare([user('u1', 'Q'), turn, result('t1', 'call_c', '1')]);
    expect(inputOf(request).slice(1, 3)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Seven.' }] },
      { type: 'function_call', call_id: 'call_c', name: 'add', arguments: '{"a":1}' },
    ]);
    expect(request.body).not.toContain('gAAAA');
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'foreign_issuer' }]);
    clean(request);
  });

  const OTHER = { ...ISSUER, model: 'gpt-5.4' };

  test('OAR-Q17: OpenAI reads the reasoning of its other models, so it goes back whole, with its phase', () => {
    const items = [THOUGHT, { ...ANSWER, phase: 'final_answer' }];
    const turn = own('a1', items, {}, rawOf(streamOf(items), OTHER));
    const request = prepare([user('u1', 'Q'), turn, user('u2', 'x')]);
    expect(inputOf(request).slice(1, 3)).toMatchObject([
      { type: 'reasoning', encrypted_content: expect.stringContaining('gAAAA') },
      { type: 'message', phase: 'final_answer' },
    ]);
    expect(request.notes).toEqual([]);
    clean(request);
  });

  test.each([
    ['a model that does not reason', { model: openaiResponsesModelInfo('gpt-4o') }],
    [
      'a cloud',
      {
        deployment: {
          ...OPENAI,
          baseUrl: 'https://x.openai.azure.com/openai/v1',
          issuerKey: ISSUER.deployment,
        },
      },
    ],
    ['a server that does not share it', { deployment: { ...OPENAI, quirks: { dialect: 'openai' } } }],
  ])('OAR-Q17: to %s the reply of another model goes without its reasoning, with a note', (_, change) => {
    const items = [THOUGHT, ANSWER, call('c', 'add', '{"a":1}')];
    const turn = own('a1', items, {}, rawOf(streamOf(items), OTHER));
    const request = prepare([user('u1', 'Q'), turn, result('t1', 'call_c', '1')], change);
    expect(
      inputOf(request)
        .slice(1, 3)
        .map(({ type }) => type),
    ).toEqual(['message', 'function_call']);
    expect(request.body).not.toContain('gAAAA');
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'foreign_issuer' }]);
    clean(request);
  });

  test('OAR-Q8: a reply whose raw was not kept goes out as text and calls', () => {
    const request = prepare([user('u1', 'Q'), own('a1', [THOUGHT, ANSWER]), user('u2', 'x')], {
      rawOf: () => undefined,
    });
    expect(inputOf(request)).toHaveLength(3);
    expect(request.notes).toMatchObject([{ nodeId: 'a1', reason: 'raw_missing' }]);
  });
});

describe('canonical messages', () => {
  test('OAR-Q9: text and calls in their order; reasoning and custom blocks stay out, the latter with a note', () => {
    const turn = assistant(
      'a1',
      [
        { type: 'thinking', thinking: 'secret', signature: 's' },
        { type: 'text', text: 'First.' },
        { type: 'tool-use', id: 'toolu_1', name: 'files.read', parameters: { path: 'a' } },
        { type: 'text', text: 'Second.' },
        { type: 'server_tool_use', name: 'x' },
      ],
      ['toolu_1'],
    );
    const request = prepare([user('u1', 'Q'), turn, result('t1', 'toolu_1', 'ok')]);
    expect(inputOf(request).slice(1)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'First.' }] },
      { type: 'function_call', call_id: 'toolu_1', name: 'files_read', arguments: '{"path":"a"}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Second.' }] },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'ok' },
    ]);
    expect(request.body).not.toContain('secret');
    expect(request.notes.map(({ reason }) => reason)).toEqual(['repaired', 'custom_block_not_sent']);
    clean(request);
  });

  test('OAR-Q9: half of a surrogate pair never leaves, whole characters and text about escapes do', () => {
    const request = prepare([user('u1', 'a\ud83d b👩‍💻 c\\ud800'), user('u2', 'fine 👩‍💻')], { systemPrompt: 'x\udc00' });
    expect(inputOf(request)[0]?.['content']).toEqual([{ type: 'input_text', text: 'a\ufffd b👩‍💻 c\\ud800' }]);
    expect(bodyOf(request)['instructions']).toBe('x\ufffd');
    expect(request.notes).toMatchObject([{ nodeId: 'u1', reason: 'repaired' }]);
  });

  test('OAR-Q9: call ids that the API refuses are replaced alike on call and result', () => {
    const long = 'x'.repeat(65);
    const odd = 'functions.add:0';
    const blocks = [long, odd].map((id) => ({ type: 'tool-use', id, name: 'add', parameters: {} }));
    const request = prepare([
      user('u1', 'Q'),
      assistant('a1', blocks, [long, odd]),
      result('t1', long, '1'),
      result('t2', odd, '2'),
    ]);
    const [first, second, third, fourth] = inputOf(request)
      .slice(1)
      .map((item) => String(item['call_id']));
    expect(first).toMatch(/^call_[0-9a-f]{24}$/);
    expect(second).toMatch(/^call_[0-9a-f]{24}$/);
    expect([third, fourth]).toEqual([first, second]);
    expect(first).not.toBe(second);
    expect(request.notes.filter(({ reason }) => reason === 'tool_id_rewritten')).toHaveLength(4);
    clean(request);
  });

  test('OAR-Q9: an id that comes again in a later reply is another call', () => {
    const use = [{ type: 'tool-use', id: 'call_0', name: 'add', parameters: {} }];
    const turns = [
      user('u1', 'Q'),
      assistant('a1', use, ['call_0']),
      result('t1', 'call_0', '1'),
      assistant('a2', use, ['call_0']),
      result('t2', 'call_0', '2'),
    ];
    const ids = inputOf(prepare(turns))
      .slice(1)
      .map(({ call_id }) => call_id);
    expect(ids[0]).toBe('call_0');
    expect(ids[1]).toBe('call_0');
    expect(ids[2]).not.toBe('call_0');
    expect(ids[3]).toBe(ids[2]);
  });

  test('OAR-Q9: the API’s own ids may be too long for it: they are replaced on its own items too', () => {
    const long = `call_${'y'.repeat(80)}`;
    const turn = own('a1', [THOUGHT, call('c', 'add', '{}', { call_id: long })]);
    const request = prepare([user('u1', 'Q'), turn, result('t1', long, '1')]);
    const [, , called, answered] = inputOf(request);
    expect(String(called?.['call_id']).length).toBeLessThanOrEqual(64);
    expect(answered?.['call_id']).toBe(called?.['call_id']);
    clean(request);
  });
});

describe('continuing from a response', () => {
  const turns = [user('u1', 'Q'), own('a1', [THOUGHT, ANSWER]), user('u2', 'More?')];
  const previousResponse = { id: 'resp_1', nodeId: nodeId('a1') };

  test('OAR-Q10: only what is new is sent, with instructions and tools, and the response is stored', () => {
    const tools = [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }];
    const request = prepare(turns, { deployment: STORING, previousResponse, tools });
    expect(bodyOf(request)).toMatchObject({
      instructions: 'Be brief.',
      store: true,
      previous_response_id: 'resp_1',
      input: [{ role: 'user', content: [{ text: 'More?' }] }],
    });
    expect(bodyOf(request)['tools']).toHaveLength(1);
    expect(inputOf(request)).toHaveLength(1);
    expect(request.renderings.map(({ nodeId: id }) => id)).toEqual(['u2']);
    clean(request);
  });

  const open = own('a1', [THOUGHT, call('c', 'add', '{}')], { answeredCalls: [] });
  test.each<[string, readonly Turn[], Partial<RenderInput>]>([
    ['the deployment does not store', turns, { deployment: OPENAI }],
    ['the response is another one', turns, { previousResponse: { id: 'resp_2', nodeId: nodeId('a1') } }],
    ['its node is not on the path', turns, { previousResponse: { id: 'resp_1', nodeId: nodeId('zz') } }],
    ['nothing is new', turns.slice(0, 2), {}],
    [
      'reasoning is left out',
      [user('u1', 'Q'), own('a1', [THOUGHT, ANSWER], { reasoning: 'omit' }), user('u2', 'x')],
      {},
    ],
    ['it broke off', [user('u1', 'Q'), own('a1', [ANSWER], { partial: true }), user('u2', 'x')], {}],
    ['a call of it has no result', [user('u1', 'Q'), open, user('u2', 'x')], {}],
    ['another model made it', turns, { model: OPENAI.modelInfo('gpt-5.4') }],
  ])('OAR-Q10: the whole context is sent where %s', (_, path, more) => {
    const request = prepare(path, { deployment: STORING, previousResponse, ...more });
    expect(bodyOf(request)).not.toHaveProperty('previous_response_id');
    expect(inputOf(request)[0]).toMatchObject({ role: 'user', content: [{ text: 'Q' }] });
  });

  test('OAR-Q10: a stored context is whole and obeys the rules of stored items', () => {
    clean(prepare(turns, { deployment: STORING }));
    clean(
      prepare([user('u1', 'Q'), own('a1', [{ ...THOUGHT, id: 'x1' }, ANSWER]), user('u2', 'x')], {
        deployment: STORING,
      }),
    );
  });
});

describe('parameters', () => {
  test.each([
    ['gpt-5.5', 'off', { effort: 'none' }],
    ['gpt-5.5', 'high', { effort: 'high', summary: 'auto' }],
    ['gpt-5', 'off', { effort: 'minimal', summary: 'auto' }],
    ['o3', 'off', { effort: 'low', summary: 'auto' }],
    ['gpt-5-pro', 'low', { effort: 'high', summary: 'auto' }],
    ['gpt-6.1-sol', 'medium', { effort: 'medium', summary: 'auto' }],
    ['o1', 'low', { effort: 'low' }],
    ['gpt-4o', 'high', undefined],
    ['gpt-5-chat-latest', 'high', undefined],
    ['model-of-tomorrow', 'high', undefined],
  ] as const)('OAR-Q11: %s with thinking %s gets %j', (id, thinking, expected) => {
    const request = prepare([user('u1', 'Q')], { model: OPENAI.modelInfo(id), thinking });
    expect(bodyOf(request)['reasoning']).toEqual(expected);
    expect('include' in bodyOf(request)).toBe(expected !== undefined);
    clean(request);
  });

  test.each([
    [0, 'none'],
    [1_000, 'low'],
    [8_000, 'medium'],
    [30_000, 'high'],
  ])('OAR-Q11: a budget of %i tokens is the effort %s', (budgetTokens, effort) => {
    const request = prepare([user('u1', 'Q')], { thinking: { budgetTokens } });
    expect(bodyOf(request)['reasoning']).toMatchObject({ effort });
  });

  test('OAR-Q11: every model of the catalogue gets a request that obeys its rules, at every setting', () => {
    for (const model of OPENAI.models) {
      for (const thinking of ['off', 'low', 'medium', 'high', { budgetTokens: 5 }] as const) {
        const request = prepare([user('u1', 'Q')], { model, thinking, maxTokens: 1 });
        clean(request);
        expect(bodyOf(request)).not.toHaveProperty('temperature');
        expect(bodyOf(request)['max_output_tokens']).toBe(16);
      }
    }
  });

  test('OAR-Q11: summaries can be switched off for organisations that may not ask', () => {
    const deployment = { ...OPENAI, quirks: { ...OPENAI.quirks, summaries: false } };
    expect(bodyOf(prepare([user('u1', 'Q')], { deployment }))['reasoning']).toEqual({ effort: 'medium' });
  });

  test('OAR-Q11: tools keep their schema, are never strict, and are switched off without being removed', () => {
    const tools = [{ name: 'now', description: 'The time.', inputSchema: { type: 'object' } }];
    const request = prepare([user('u1', 'Q')], { tools, toolChoice: 'none' });
    expect(bodyOf(request)['tools']).toEqual([
      {
        type: 'function',
        name: 'now',
        description: 'The time.',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ]);
    expect(bodyOf(request)['tool_choice']).toBe('none');
    clean(request);
  });

  test('OAR-Q11: a body that is not streamed says so', () => {
    const request = prepare([user('u1', 'Q')], { stream: false, systemPrompt: null });
    expect(bodyOf(request)).toMatchObject({ stream: false });
    expect(bodyOf(request)).not.toHaveProperty('instructions');
    expect(request.headers['accept']).toBe('application/json');
  });
});

describe('preflight', () => {
  test('OAR-Q12: a broken rule is repaired, recorded, and the body that leaves is the repaired one', () => {
    const request = prepare([user('u1', 'Q'), result('t1', 'call_x', 'stray'), user('u2', 'x')]);
    expect(request.violations).toMatchObject([{ rule: 'OAR-PAIR-2', repaired: true }]);
    expect(inputOf(request).map(({ type }) => type)).toEqual(['message', 'message']);
  });

  test('OAR-Q12: what cannot be repaired is recorded', () => {
    expect(prepare([]).violations).toMatchObject([{ rule: 'OAR-SHAPE-1', repaired: false, kind: 'rejection' }]);
  });

  test('OAR-Q3: the body is what the final events say, not the stream', () => {
    const response = responseOf([THOUGHT, ANSWER]);
    const body = JSON.stringify(response);
    const raw = { ...rawOf([]), payload: { events: [], response: body } };
    const streamed = prepare([user('u1', 'Q'), own('a1', [THOUGHT, ANSWER]), user('u2', 'x')]).body;
    expect(prepare([user('u1', 'Q'), own('a1', [], {}, raw), user('u2', 'x')]).body).toBe(streamed);
  });
});
