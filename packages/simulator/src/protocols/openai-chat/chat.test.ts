import { foldToBlocks } from '@bough/core';
import { PROTOCOLS } from '@bough/providers';
import { describe, expect, it } from 'vitest';
import { chatProtocol } from './index.ts';
import type { Json } from './request.ts';
import { Conversation, dataOf, Desk, pathOf, request, WIRE_TOOLS } from './testing.ts';
import { vendorOf } from './vendors.ts';

const VENDORS = [
  'openai',
  'deepseek',
  'mistral',
  'groq',
  'openrouter',
  'moonshot',
  'xai',
  'ollama',
  'generic',
] as const;
const SEATS = VENDORS.flatMap((vendor) =>
  vendorOf(pathOf(vendor)).deployment.models.map(({ id }) => [vendor, id] as const),
);
const ask = { role: 'user', content: 'What is 6 * 7?' };
const issuer = { provider: 'p', deployment: 'd', model: 'm' };

function blocksOf(data: readonly string[]) {
  const fold = PROTOCOLS['openai-chat'].createFold(issuer);
  return foldToBlocks([...data.flatMap((text) => fold.push({ data: text })), ...fold.end({ type: 'closed' })]);
}

describe('replies', () => {
  it.each([
    ['deepseek', 'deepseek-v4-flash', 'reasoning_content'],
    ['moonshot', 'kimi-k2.6', 'reasoning_content'],
    ['groq', 'openai/gpt-oss-120b', 'reasoning'],
    ['ollama', 'gpt-oss:20b', 'reasoning'],
    ['openrouter', 'anthropic/claude-sonnet-5', 'reasoning_details'],
    ['generic', 'sim-summary', 'reasoning_details'],
  ])('SIM-OAC-1: %s %s reasons in %s', (vendor, model, field) => {
    const message = new Desk().message(vendor, { model, messages: [ask], reasoning: { effort: 'high' } });
    expect(message[field]?.toString().length).toBeGreaterThan(10);
  });

  it('SIM-OAC-1: Mistral thinks in a content part, sim-tags in tags, OpenAI and xAI out of sight', () => {
    const desk = new Desk();
    const mistral = desk.message('mistral', { model: 'magistral-medium-latest', messages: [ask] });
    expect(mistral['content']).toMatchObject([{ type: 'thinking' }, { type: 'text' }]);
    expect(desk.message('generic', { model: 'sim-tags', messages: [ask], reasoning_effort: 'low' })['content']).toMatch(
      /^<think>/,
    );
    for (const [vendor, model] of [
      ['openai', 'o3'],
      ['xai', 'grok-4.5'],
    ] as const) {
      expect(Object.keys(desk.message(vendor, { model, messages: [ask] }))).toEqual(['role', 'content']);
    }
  });

  it.each(SEATS)('SIM-OAC-1: %s %s says the same in a stream and in one body', (vendor, model) => {
    const talk = new Conversation(new Desk(), vendor, model);
    talk.user('/sim think 2 /sim tools calculator x2');
    const { stream: _, stream_options: __, ...body }: Json = JSON.parse(talk.prepare().body);
    const streamed = new Desk().ask(vendor, { ...body, stream: true });
    const whole = new Desk().ask(vendor, body);
    expect(whole).toMatchObject({ type: 'body', status: 200 });
    const blocks = whole.type === 'body' ? foldToBlocks(PROTOCOLS['openai-chat'].foldBody(whole.body, issuer)) : [];
    expect(blocksOf(dataOf(streamed))).toEqual(blocks);
  });
});

describe('refusals', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'calculator', arguments: '{}' } });
  const calling = { role: 'assistant', content: null, tool_calls: [call('call_1')] };
  const answered = { role: 'tool', tool_call_id: 'call_1', content: '42' };

  it.each<[string, Json, number, object]>([
    [
      'openai',
      { model: 'gpt-5.1', messages: [ask, calling] },
      400,
      {
        error: {
          type: 'invalid_request_error',
          param: 'messages.2.role',
          code: null,
          message: expect.stringMatching(/^An assistant message with 'tool_calls'/),
        },
      },
    ],
    [
      'openai',
      { model: 'gpt-5.1', messages: [ask], max_tokens: 5 },
      400,
      { error: { code: 'unsupported_parameter', param: 'max_tokens' } },
    ],
    [
      'deepseek',
      { model: 'deepseek-v4-pro', messages: [ask, { role: 'assistant', content: 'x' }, ask], tools: WIRE_TOOLS },
      400,
      {
        error: {
          message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_request_error',
        },
      },
    ],
    [
      'moonshot',
      { model: 'kimi-k2.5', messages: [ask, calling, answered] },
      400,
      {
        error: {
          message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
          type: 'invalid_request_error',
        },
      },
    ],
    [
      'mistral',
      { model: 'mistral-small-latest', messages: [ask, calling, answered] },
      400,
      { object: 'error', code: '3280', message: expect.stringContaining('must be a-z, A-Z, 0-9, with a length of 9.') },
    ],
    [
      'mistral',
      {
        model: 'mistral-small-latest',
        messages: [ask, { role: 'assistant', content: 'x', reasoning_content: 'y' }, ask],
      },
      422,
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      },
    ],
    [
      'groq',
      {
        model: 'openai/gpt-oss-20b',
        messages: [ask, { role: 'assistant', content: 'x', reasoning_content: 'y' }, ask],
      },
      400,
      { error: { message: expect.stringContaining("property 'reasoning_content' is unsupported") } },
    ],
    [
      'openrouter',
      { model: 'google/gemini-3.5-flash', messages: [ask, calling, answered] },
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { provider_name: 'Google', raw: expect.stringContaining('Gemini models require') },
        },
      },
    ],
    [
      'xai',
      { model: 'grok-4-fast', messages: [ask], reasoning_effort: 'low' },
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Model grok-4-fast does not support parameter reasoningEffort.',
      },
    ],
    [
      'ollama',
      { model: 'qwen3:8b', messages: [ask, { role: 'assistant', content: 'x' }, { role: 'assistant', content: 'y' }] },
      400,
      { error: { message: 'Cannot have 2 or more assistant messages at the end of the list.' } },
    ],
    ['generic', { messages: [ask] }, 400, { error: { message: 'you must provide a model parameter' } }],
  ])('SIM-OAC-2: %s %j', (vendor, body, status, envelope) => {
    const desk = new Desk();
    const answer = desk.ask(vendor, body);
    expect(answer).toMatchObject({ type: 'body', status });
    expect(answer.type === 'body' && JSON.parse(answer.body)).toMatchObject(envelope);
    if ('model' in body) expect(desk.notes.map(({ kind }) => kind)).toContain('rejected');
  });
});

describe('memory', () => {
  const body = (model: string, ...messages: readonly Json[]): Json => ({
    model,
    messages: [ask, ...messages],
    tools: WIRE_TOOLS,
  });
  const result = (message: Json) => ({ role: 'tool', tool_call_id: Object(message).tool_calls[0].id, content: '42' });
  const kinds = (desk: Desk) => desk.notes.map(({ kind, rule }) => rule ?? kind);

  it('SIM-OAC-3: DeepSeek’s reasoning comes back as it was, or the request is refused', () => {
    const desk = new Desk();
    const first = desk.message('deepseek', body('deepseek-v4-flash'));
    const { index: _, ...wire } = Object(first).tool_calls[0];
    const returned = { ...first, tool_calls: [wire] };
    expect(desk.ask('deepseek', body('deepseek-v4-flash', returned, result(first)))).toMatchObject({ status: 200 });
    const changed = { ...returned, reasoning_content: `${String(first['reasoning_content'])} ` };
    expect(desk.ask('deepseek', body('deepseek-v4-flash', changed, result(first)))).toMatchObject({ status: 400 });
    expect(kinds(desk)).toEqual(['accepted', 'accepted', 'not_as_it_was_sent']);
  });

  it('SIM-OAC-3: reasoning that is blank where it was known is taken, and noted as lost', () => {
    const desk = new Desk();
    const first = desk.message('deepseek', body('deepseek-v4-flash'));
    const { index: _, ...wire } = Object(first).tool_calls[0];
    const blank = { ...first, reasoning_content: ' ', tool_calls: [wire] };
    expect(desk.ask('deepseek', body('deepseek-v4-flash', blank, result(first)))).toMatchObject({ status: 200 });
    expect(kinds(desk)).toEqual(['accepted', 'reasoning_left_out', 'accepted']);
  });

  it('SIM-OAC-3: a plain answer is known by its text; one from before a restart is taken on trust', () => {
    const desk = new Desk();
    const said = desk.message('deepseek', {
      model: 'deepseek-v4-flash',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const next = (message: Json): Json => ({
      model: 'deepseek-v4-flash',
      messages: [{ role: 'user', content: 'Hello' }, message, ask],
    });
    expect(desk.ask('deepseek', next(said))).toMatchObject({ status: 200 });
    expect(desk.ask('deepseek', next({ ...said, reasoning_content: 'Something else.' }))).toMatchObject({
      status: 400,
    });
    const restarted = new Desk();
    expect(restarted.ask('deepseek', next(said))).toMatchObject({ status: 200 });
    expect(kinds(restarted)).toEqual(['unverified', 'accepted']);
  });

  it.each([
    ['its text', (entry: Json) => [{ ...entry, text: `${String(entry['text'])}.` }]],
    ['its signature', (entry: Json) => [{ ...entry, signature: 'AAAA' }]],
    ['its number', (entry: Json) => [entry, entry]],
    ['a field', (entry: Json) => [{ ...entry, index: 7 }]],
  ])('SIM-OAC-4: OpenRouter’s details are refused when %s changed, and taken as they are', (_, change) => {
    const desk = new Desk();
    const model = 'anthropic/claude-sonnet-5';
    const request = (...messages: readonly Json[]): Json => ({
      model,
      messages: [{ role: 'user', content: '/sim think 1' }, ...messages],
      reasoning: { effort: 'high' },
    });
    const said = desk.message('openrouter', request());
    const [entry] = Object(said).reasoning_details;
    expect(desk.ask('openrouter', request(said, ask))).toMatchObject({ status: 200 });
    expect(desk.ask('openrouter', request({ ...said, reasoning_details: change(entry) }, ask))).toMatchObject({
      status: 400,
    });
    expect(desk.ask('openrouter', { ...request({ role: 'assistant', content: said['content'] }, ask) })).toMatchObject({
      status: 200,
    });
  });

  it('SIM-OAC-4: a seal is bound to its model', () => {
    const desk = new Desk();
    const messages = [{ role: 'user', content: '/sim think 1' }];
    const said = desk.message('openrouter', {
      model: 'anthropic/claude-sonnet-5',
      messages,
      reasoning: { effort: 'high' },
    });
    const other = { model: 'anthropic/claude-haiku-4.5', messages: [...messages, said, ask] };
    expect(desk.ask('openrouter', other)).toMatchObject({
      status: 400,
      body: expect.stringContaining('Invalid `signature`'),
    });
  });

  it('SIM-OAC-5: a tool call comes back with its own arguments; written again, they are noted', () => {
    const desk = new Desk();
    const first = desk.message('deepseek', body('deepseek-v4-flash'));
    const { index: _, ...wire } = Object(first).tool_calls[0];
    const back = (json: string): Json => ({
      ...first,
      tool_calls: [{ ...wire, function: { ...wire.function, arguments: json } }],
    });
    const compact = JSON.stringify(JSON.parse(wire.function.arguments));
    expect(compact).not.toBe(wire.function.arguments);
    expect(desk.ask('deepseek', body('deepseek-v4-flash', back(compact), result(first)))).toMatchObject({
      status: 200,
    });
    expect(desk.ask('deepseek', body('deepseek-v4-flash', back('{"expression":"1"}'), result(first)))).toMatchObject({
      status: 400,
    });
    expect(kinds(desk)).toEqual(['accepted', 'arguments_rewritten', 'accepted', 'not_as_it_was_sent']);
  });
});

describe('Bough’s own requests', () => {
  it.each(SEATS)(
    'SIM-OAC-6: %s %s: two turns with tools are accepted, nothing is lost, the prefix stands',
    (vendor, model) => {
      const desk = new Desk();
      const talk = new Conversation(desk, vendor, model);
      let before = '';
      for (const text of ['/sim tools calculator x2 steps 2', 'And again? /sim tools calculator']) {
        talk.user(text);
        for (let call = 0; call < 4; call += 1) {
          const prepared = talk.prepare();
          expect(prepared.violations).toEqual([]);
          expect(prepared.body.startsWith(before)).toBe(true);
          before = prepared.body.slice(0, prepared.body.lastIndexOf(']', prepared.body.indexOf('"max_')));
          if (!talk.reply(prepared).some((block) => block.type === 'tool-use')) break;
        }
      }
      expect(desk.notes.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
      expect(desk.notes.filter(({ rule }) => rule === 'unverified')).toEqual([]);
    },
  );

  it('SIM-OAC-6: without the reasoning that it demands, a request is refused: the check is not blind', () => {
    const desk = new Desk();
    const talk = new Conversation(desk, 'deepseek', 'deepseek-v4-flash');
    talk.user('/sim tools calculator');
    talk.reply();
    const { body } = talk.prepare();
    expect(desk.ask('deepseek', JSON.parse(body.replace(/"reasoning_content":"[^"]*",/, '')))).toMatchObject({
      status: 400,
    });
    expect(
      desk.ask('deepseek', JSON.parse(body.replace('"reasoning_content":"', '"reasoning_content":"x'))),
    ).toMatchObject({ status: 400 });
  });
});

describe('the half', () => {
  it('SIM-OAC-7: takes completions and lists of models, whoever’s path', () => {
    expect(chatProtocol.accepts(request('/deepseek/v1/chat/completions', {}))).toBe(true);
    expect(chatProtocol.accepts(request('/v1/messages', {}))).toBe(false);
    expect(chatProtocol.accepts(request('/v1/models', null, 'GET'))).toBe(true);
    expect(
      chatProtocol.accepts({ ...request('/v1/models', null, 'GET'), headers: { 'anthropic-version': '2023-06-01' } }),
    ).toBe(false);
    const list = chatProtocol.answer(request('/mistral/v1/models', null, 'GET'), new Desk().world);
    expect(list.type === 'body' && JSON.parse(list.body)).toMatchObject({
      object: 'list',
      data: expect.arrayContaining([expect.objectContaining({ id: 'mistral-small-latest' })]),
    });
  });

  it('SIM-OAC-7: its errors are read for what they are', () => {
    const chat = PROTOCOLS['openai-chat'];
    const fold = chat.createFold(issuer);
    fold.push({ data: chatProtocol.errorFrame('overloaded').slice(6) });
    expect(fold.end({ type: 'closed' })).toMatchObject([
      { type: 'error', error: { code: 'overloaded' } },
      { type: 'stop', reason: 'error' },
    ]);
    const refused = chatProtocol.errorAnswer(429, 'Slow down.');
    expect(refused.type === 'body' && chat.readError(refused.status, refused.body)).toMatchObject({
      code: 'rate_limit',
    });
  });
});
