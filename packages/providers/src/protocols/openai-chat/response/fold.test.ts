import { describe, expect, it } from 'vitest';
import { openaiChat } from '../index.ts';
import { blocksOf, callDelta, chunk, foldAll, HEAD, rawOf, streamOf } from '../testing.ts';

const thinking = (text: string, signature?: string) => ({
  type: 'thinking',
  thinking: text,
  ...(signature !== undefined && { signature }),
});
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, name: string, parameters: object) => ({ type: 'tool-use', id, name, parameters });
const stopOf = (chunks: readonly string[]) => foldAll(chunks).at(-1);

describe('reasoning fields', () => {
  it.each(['reasoning_content', 'reasoning', 'thinking'])('OAC-2: %s becomes thinking, in its place', (key) => {
    const stream = streamOf([
      { role: 'assistant', content: null, [key]: '' },
      { content: null, [key]: 'One ' },
      { [key]: 'thought.' },
      { content: 'An ' },
      { content: 'answer.' },
      { [key]: 'Wait.' },
      { content: 'Better.' },
    ]);
    expect(blocksOf(stream)).toEqual([
      thinking('One thought.'),
      text('An answer.'),
      thinking('Wait.'),
      text('Better.'),
    ]);
  });

  it('OAC-2: a server that fills two fields with one thought is read once', () => {
    expect(blocksOf(streamOf([{ reasoning: 'Hm.', reasoning_content: 'Hm.' }, { content: 'Yes.' }]))).toEqual([
      thinking('Hm.'),
      text('Yes.'),
    ]);
  });

  it('OAC-2: a body that was not streamed reads like its stream', () => {
    const message = {
      role: 'assistant',
      content: 'Sunny.',
      reasoning_content: 'Look it up.',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city": "Bonn"}' } },
        { id: 'b', type: 'function', function: { name: 'clock', arguments: '' } },
      ],
    };
    const body = JSON.stringify({ ...HEAD, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    const issuer = { provider: 'lab', deployment: 'lab@x', model: 'm-1' };
    const raw = { ...rawOf([], issuer), payload: { response: body } };
    expect(openaiChat.toContentBlocks(raw)).toEqual([
      thinking('Look it up.'),
      text('Sunny.'),
      call('a', 'weather', { city: 'Bonn' }),
      call('b', 'clock', {}),
    ]);
    expect(openaiChat.foldBody(body, issuer).at(-1)).toEqual({ type: 'stop', reason: 'tool_use' });
  });
});

describe('think tags', () => {
  it.each([
    ['at once', ['<think>Hm.</think>Yes.'], [thinking('Hm.'), text('Yes.')]],
    ['after white space', ['\n', '<think>\nHm.\n</think>\n\nYes.'], [thinking('\nHm.\n'), text('\n\nYes.')]],
    ['in pieces', ['<', 'thi', 'nk>H', 'm.<', '/th', 'ink>', 'Yes.'], [thinking('Hm.'), text('Yes.')]],
    ['with a false end', ['<think>a </thin b</think>c'], [thinking('a </thin b'), text('c')]],
    ['unclosed', ['<think>Hm. </thi'], [thinking('Hm. </thi')]],
    ['empty', ['<think></think>Yes.'], [text('Yes.')]],
    ['only the beginning of a tag', ['<thi'], [text('<thi')]],
    ['something that looks like one', ['<thinking hard>'], [text('<thinking hard>')]],
    ['further down', ['The tag <think>x</think> is plain.'], [text('The tag <think>x</think> is plain.')]],
  ])('OAC-3: %s', (_, pieces, blocks) => {
    expect(blocksOf(streamOf(pieces.map((content) => ({ content }))))).toEqual(blocks);
  });

  it('OAC-3: a server with a field for reasoning has no tags', () => {
    expect(blocksOf(streamOf([{ reasoning_content: 'Hm.' }, { content: '<think>x</think>y' }]))).toEqual([
      thinking('Hm.'),
      text('<think>x</think>y'),
    ]);
  });

  it('OAC-3: text that was held back comes out before a tool call', () => {
    expect(blocksOf(streamOf([{ content: '<' }, callDelta(0, 'a', 'f', '{}')], 'tool_calls'))).toEqual([
      text('<'),
      call('a', 'f', {}),
    ]);
  });
});

describe('reasoning details', () => {
  const detail = (entry: object) => ({ content: '', reasoning_details: [entry] });

  it('OAC-4: fragments of one index are one thought, its signature behind it; the repeated `reasoning` is not read', () => {
    const stream = streamOf([
      { reasoning: 'One ', ...detail({ type: 'reasoning.text', text: 'One ', format: 'f', index: 0 }) },
      { reasoning: 'thought.', ...detail({ type: 'reasoning.text', text: 'thought.', format: 'f', index: 0 }) },
      detail({ type: 'reasoning.text', signature: 'sig', format: 'f', index: 0 }),
      { reasoning: 'Two.', ...detail({ type: 'reasoning.summary', summary: 'Two.', index: 1 }) },
      detail({ type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', index: 2 }),
      detail({ type: 'reasoning.server_tool_call', name: 'search', index: 3 }),
      { content: 'Answer.' },
    ]);
    expect(blocksOf(stream)).toEqual([
      thinking('One thought.', 'sig'),
      thinking('Two.'),
      { type: 'redacted_thinking', data: 'gAAA' },
      { type: 'reasoning.server_tool_call', name: 'search', index: 3 },
      text('Answer.'),
    ]);
  });

  it('OAC-4: two ids under one index are two thoughts', () => {
    const stream = streamOf([
      detail({ type: 'reasoning.encrypted', data: 'a', id: 'rs_1', index: 0 }),
      detail({ type: 'reasoning.encrypted', data: 'b', id: 'rs_2', index: 0 }),
    ]);
    expect(blocksOf(stream)).toEqual([
      { type: 'redacted_thinking', data: 'a' },
      { type: 'redacted_thinking', data: 'b' },
    ]);
  });
});

describe('content parts', () => {
  it('OAC-5: thinking parts of Mistral join, text parts and strings go on as text, others are kept', () => {
    const part = (words: string) => ({ type: 'thinking', thinking: [{ type: 'text', text: words }], closed: true });
    const stream = streamOf([
      { role: 'assistant', content: '' },
      { content: [part('One ')] },
      { content: [part('thought.')] },
      { content: [{ type: 'text', text: 'An ' }] },
      { content: 'answer.' },
      { content: [{ type: 'reference', reference_ids: [3] }] },
    ]);
    expect(blocksOf(stream)).toEqual([
      thinking('One thought.'),
      text('An answer.'),
      { type: 'openai-chat:content', value: [{ type: 'reference', reference_ids: [3] }] },
    ]);
  });

  it('OAC-5: a signed thinking part keeps its signature', () => {
    const part = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], signature: 'sig' };
    expect(blocksOf(streamOf([{ content: [part, { type: 'text', text: 'Yes.' }] }]))).toEqual([
      thinking('Hm.', 'sig'),
      text('Yes.'),
    ]);
  });
});

describe('tool calls', () => {
  it.each([
    [
      'id and name once',
      [callDelta(0, 'a', 'f', ''), callDelta(0, null, null, '{"x":'), callDelta(0, null, null, '1}')],
    ],
    ['id and name every time', [callDelta(0, 'a', 'f', '{"x":'), callDelta(0, 'a', 'f', '1}')]],
    ['an empty id later', [callDelta(0, 'a', 'f', '{"x":'), callDelta(0, '', null, '1}')]],
    ['no index', [callDelta(null, 'a', 'f', '{"x":'), callDelta(null, null, null, '1}')]],
    ['the name last', [callDelta(0, 'a', null, '{"x":'), callDelta(0, null, 'f', '1}')]],
  ])('OAC-6: %s', (_, deltas) => {
    expect(blocksOf(streamOf(deltas, 'tool_calls'))).toEqual([call('a', 'f', { x: 1 })]);
  });

  it.each([
    [
      'by index',
      [
        callDelta(0, 'a', 'f', '{'),
        callDelta(1, 'b', 'g', '{'),
        callDelta(0, null, null, '}'),
        callDelta(1, null, null, '}'),
      ],
    ],
    [
      'by id, all with index 0',
      [callDelta(0, 'a', 'f', '{'), callDelta(0, null, null, '}'), callDelta(0, 'b', 'g', '{}')],
    ],
    ['by id, without index', [callDelta(null, 'a', 'f', '{}'), callDelta(null, 'b', 'g', '{}')]],
  ])('OAC-6: parallel calls, told apart %s', (_, deltas) => {
    expect(blocksOf(streamOf(deltas, 'tool_calls'))).toEqual([call('a', 'f', {}), call('b', 'g', {})]);
  });

  it('OAC-6: calls without ids, or with one id for two, get ids that are the same every time', () => {
    const [first, second] = blocksOf(streamOf([callDelta(0, null, 'f', '{}'), callDelta(1, null, 'g', '{}')]));
    expect([first, second]).toEqual([
      { type: 'tool-use', id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'f', parameters: {} },
      { type: 'tool-use', id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'g', parameters: {} },
    ]);
    expect(first).not.toEqual(second);
    const twins = blocksOf(streamOf([callDelta(0, 'a', 'f', '{}'), callDelta(1, 'a', 'g', '{}')]));
    expect(twins.map((block) => 'id' in block && block.id)).toEqual(['a', expect.stringMatching(/^call_/)]);
  });

  it('OAC-6: arguments that are an object already are taken as such', () => {
    const delta = { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }] };
    expect(blocksOf(streamOf([delta]))).toEqual([call('a', 'f', { x: 1 })]);
  });

  it('OAC-6: arguments that are no JSON are kept and never executed', () => {
    const events = foldAll(streamOf([callDelta(0, 'a', 'f', '{"x":')], 'tool_calls'));
    expect(events.some((event) => event.type === 'tool_call')).toBe(false);
    expect(blocksOf(streamOf([callDelta(0, 'a', 'f', '{"x":')], 'tool_calls'))).toEqual([
      { type: 'incomplete_tool_use', id: 'a', name: 'f', json: '{"x":' },
    ]);
  });

  it('OAC-6: Google’s signature stands behind its call', () => {
    const [delta] = [callDelta(0, 'a', 'f', '{}')];
    const signed = {
      tool_calls: [{ ...Object(delta).tool_calls[0], extra_content: { google: { thought_signature: 's' } } }],
    };
    expect(blocksOf(streamOf([signed]))).toEqual([call('a', 'f', {}), { type: 'thinking_signature', signature: 's' }]);
  });
});

describe('everything else', () => {
  it('OAC-7: refusals, annotations and unknown keys become blocks, whole and in place', () => {
    const stream = streamOf([
      { content: 'Hm.' },
      { refusal: 'I would ' },
      { refusal: 'rather not.' },
      { annotations: [{ type: 'url_citation', url: 'http://a' }] },
      { annotations: [{ type: 'url_citation', url: 'http://b' }] },
      { hologram: { depth: 3 } },
      { audio: { id: 'x', data: 'AA' } },
      { audio: { data: 'BB' } },
      { role: 'assistant', token_id: 7, function_call: null, annotations: [] },
    ]);
    expect(blocksOf(stream)).toEqual([
      text('Hm.'),
      { type: 'refusal', refusal: 'I would rather not.' },
      {
        type: 'annotations',
        annotations: [
          { type: 'url_citation', url: 'http://a' },
          { type: 'url_citation', url: 'http://b' },
        ],
      },
      { type: 'openai-chat:hologram', value: { depth: 3 } },
      { type: 'audio', audio: { id: 'x', data: 'AABB' } },
    ]);
    expect(stopOf(stream)).toEqual({ type: 'stop', reason: 'refusal' });
  });

  it('OAC-7: citations beside the choices are repeated whole by their server and kept once', () => {
    const citing = (list: readonly string[]) => chunk({ content: 'a' }, null, { citations: list });
    expect(blocksOf([citing(['x']), citing(['x', 'y']), ...streamOf([])])).toEqual([
      text('aa'),
      { type: 'citations', citations: ['x', 'y'] },
    ]);
  });

  it('OAC-7: another choice is kept, not mixed in', () => {
    const other = { index: 1, delta: { content: 'B' }, finish_reason: null };
    const both = JSON.stringify({ ...HEAD, choices: [other, { index: 0, delta: { content: 'A' } }] });
    expect(blocksOf([both, ...streamOf([])])).toEqual([text('A'), { type: 'openai-chat:choices', value: [other] }]);
  });
});

describe('the end', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
  const full = { inputTokens: 10, outputTokens: 4 };

  it.each([
    ['beside the last choice', chunk({}, 'stop', { usage }), full],
    ['in a chunk of its own', JSON.stringify({ ...HEAD, choices: [], usage }), full],
    [
      'inside the choice',
      JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }),
      full,
    ],
    ['in x_groq', chunk({}, 'stop', { x_groq: { id: 'r', usage } }), full],
    [
      'with details',
      chunk({}, 'stop', {
        usage: {
          ...usage,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      }),
      { ...full, cachedInputTokens: 3, reasoningTokens: 2 },
    ],
    [
      'from DeepSeek’s cache',
      chunk({}, 'stop', { usage: { ...usage, prompt_cache_hit_tokens: 8 } }),
      { ...full, cachedInputTokens: 8 },
    ],
    [
      'with reasoning counted apart',
      chunk({}, 'stop', { usage: { ...usage, total_tokens: 20, completion_tokens_details: { reasoning_tokens: 6 } } }),
      { inputTokens: 10, outputTokens: 10, reasoningTokens: 6 },
    ],
  ])('OAC-8: usage %s', (_, last, expected) => {
    const events = foldAll([chunk({ content: 'a' }), last, '[DONE]']);
    expect(events.filter((event) => event.type === 'usage')).toEqual([{ type: 'usage', usage: expected }]);
  });

  it.each([
    ['stop', 'end_turn'],
    ['eos', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['model_length', 'context_exceeded'],
    ['tool_calls', 'tool_use'],
    ['something_new', 'unknown'],
  ])('OAC-8: %s means %s', (finish, reason) => {
    expect(stopOf(streamOf([{ content: 'a' }], finish))).toEqual({ type: 'stop', reason });
  });

  it('OAC-8: `stop` behind tool calls, and [DONE] without a reason, are understood', () => {
    expect(stopOf(streamOf([callDelta(0, 'a', 'f', '{}')], 'stop'))).toEqual({ type: 'stop', reason: 'tool_use' });
    expect(stopOf([chunk(callDelta(0, 'a', 'f', '{}')), '[DONE]'])).toEqual({ type: 'stop', reason: 'tool_use' });
    expect(stopOf([chunk({ content: 'a' }), '[DONE]'])).toEqual({ type: 'stop', reason: 'end_turn' });
  });

  it('OAC-8: the start carries id and model, of the first chunk that has them', () => {
    const filter = JSON.stringify({ id: '', model: '', choices: [], prompt_filter_results: [] });
    expect(foldAll([filter, ...streamOf([{ content: 'a' }])])[0]).toEqual({
      type: 'start',
      responseId: 'chatcmpl-1',
      model: 'm-1',
    });
  });
});

describe('what goes wrong', () => {
  it('OAC-1: an error chunk keeps what came before it and ends the reply', () => {
    const events = foldAll([
      chunk({ content: 'Hel' }),
      JSON.stringify({ error: { message: 'Overloaded', code: 503 } }),
    ]);
    expect(events.slice(-3)).toEqual([
      { type: 'text', index: 0, text: 'Hel' },
      { type: 'error', error: { code: 'overloaded', message: 'Overloaded', retryable: true, status: 503 } },
      { type: 'stop', reason: 'error' },
    ]);
  });

  it.each([
    ['error', 'server'],
    ['insufficient_system_resource', 'overloaded'],
  ])('OAC-1: the finish reason %s is told as an error', (finish, code) => {
    expect(foldAll(streamOf([{ content: 'a' }], finish)).slice(-2)).toMatchObject([
      { type: 'error', error: { code, retryable: true } },
      { type: 'stop', reason: 'error' },
    ]);
  });

  it('OAC-1: garbage between chunks costs one error and no content', () => {
    const events = foldAll([
      chunk({ content: 'a' }),
      '{"choices":',
      'null',
      '[]',
      chunk({ content: 'b' }, 'stop'),
      '[DONE]',
    ]);
    expect(events.filter((event) => event.type === 'text').map((event) => event.text)).toEqual(['a', 'b']);
    expect(events.filter((event) => event.type === 'error')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'error' });
  });

  it.each([
    ['a cut', { type: 'closed' }, 'error'],
    ['an abort', { type: 'aborted' }, 'interrupted'],
  ] as const)('OAC-1: %s leaves a call without arguments unfinished, and a closed one whole', (_, outcome, reason) => {
    const open = foldAll([chunk(callDelta(0, 'a', 'f', '{"x":1}')), chunk(callDelta(1, 'b', 'g', ''))], outcome);
    expect(open.filter((event) => event.type === 'tool_call').map((event) => event.id)).toEqual(['a']);
    expect(open.at(-1)).toEqual({ type: 'stop', reason });
  });

  it('OAC-1: a failure of the connection after the reply was whole takes nothing back', () => {
    const error = { code: 'network', message: 'gone', retryable: true } as const;
    expect(foldAll([chunk({ content: 'a' }, 'stop')], { type: 'failed', error }).at(-1)).toEqual({
      type: 'stop',
      reason: 'end_turn',
    });
    expect(foldAll([chunk({ content: 'a' })], { type: 'failed', error }).slice(-2)).toEqual([
      { type: 'error', error },
      { type: 'stop', reason: 'error' },
    ]);
  });

  it('OAC-1: a finish reason that something follows is no end: the call behind it is not run', () => {
    const parallel = [
      chunk(callDelta(0, 'a', 'f', '{"x":1}')),
      chunk({}, 'tool_calls'),
      chunk(callDelta(1, 'b', 'g', '')),
    ];
    for (const outcome of [{ type: 'closed' }, { type: 'aborted' }] as const) {
      const cut = foldAll(parallel, outcome);
      expect(cut.filter((event) => event.type === 'tool_call').map((event) => event.id)).toEqual(['a']);
      expect(cut.at(-1)?.type === 'stop' && cut.at(-1)).not.toMatchObject({ reason: 'tool_use' });
    }
    const whole = foldAll([...parallel, chunk({}, 'tool_calls')]);
    expect(whole.filter((event) => event.type === 'tool_call').map((event) => event.id)).toEqual(['a', 'b']);
    expect(whole.at(-1)).toEqual({ type: 'stop', reason: 'tool_use' });
    // What adds nothing to the reply does not reopen it.
    const counted = foldAll([...parallel.slice(0, 2), JSON.stringify({ ...HEAD, choices: [], citations: ['x'] })]);
    expect(counted.at(-1)).toEqual({ type: 'stop', reason: 'tool_use' });
  });

  it('OAC-1: behind the finish reason of calls a broken connection may have taken further calls', () => {
    const error = { code: 'network', message: 'gone', retryable: true } as const;
    const first = [chunk(callDelta(0, 'a', 'f', '')), chunk({}, 'tool_calls')];
    const broken = foldAll(first, { type: 'failed', error });
    expect(broken.filter((event) => event.type === 'tool_call')).toEqual([]);
    expect(broken.at(-1)).toEqual({ type: 'stop', reason: 'error' });
    expect(foldAll([...first, '[DONE]'], { type: 'failed', error }).at(-1)).toEqual({
      type: 'stop',
      reason: 'tool_use',
    });
  });

  it('OAC-2: a message beside an empty delta is read once, as long as nothing was streamed', () => {
    const both = (delta: string, message: string, finish: string | null = null) =>
      JSON.stringify({
        ...HEAD,
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: delta },
            message: { role: 'assistant', content: message },
            finish_reason: finish,
          },
        ],
      });
    expect(blocksOf([both('', 'All of it.', 'stop')])).toEqual([text('All of it.')]);
    expect(
      blocksOf([both('', ''), both('One ', 'One '), both('two.', 'One two.'), both('', 'One two.', 'stop')]),
    ).toEqual([text('One two.')]);
  });

  it.each([
    '{}',
    '[]',
    '0',
    '""',
    '{"choices":{}}',
    '{"choices":[null]}',
    '{"choices":[{"delta":null}]}',
    '{"choices":[{"delta":{"content":7,"tool_calls":[null,{"function":null}],"reasoning_details":[1,{}]}}]}',
    '{"usage":{"prompt_tokens":"x"},"choices":[{"delta":{"content":[{"type":"thinking"},null,"x"]}}]}',
    '{"error":null}',
    '{"error":[]}',
  ])('OAC-1: %s never throws', (data) => {
    const events = foldAll([data, data]);
    expect(events.filter((event) => event.type === 'stop')).toHaveLength(1);
    expect(openaiChat.foldBody(data, { provider: 'p', deployment: 'd', model: 'm' }).at(-1)?.type).toBe('stop');
  });
});
