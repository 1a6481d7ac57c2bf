import OpenAI from 'openai';
import { LengthFinishReasonError } from 'openai/error';
import { makeParseableResponseFormat, makeParseableTextFormat } from 'openai/lib/parser';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

// What people do with the official client beyond plain calls (those are in clients.test.ts): its helpers decide what a
// server must understand and send.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'openai client' });
});
beforeEach(() => simulator.clearLog());
afterAll(() => simulator.close());

const client = (path = '/openai/v1'): OpenAI =>
  new OpenAI({ apiKey: 'none', baseURL: `${simulator.url}${path}`, maxRetries: 0 });

/** What the simulator dropped or refused in this test. */
function complaints(): readonly string[] {
  const found = simulator.log().filter(({ kind }) => kind !== 'accepted');
  return found.map(({ kind, rule, detail }) => `${kind} ${rule}: ${detail}`);
}

const MODEL = 'gpt-5.1';
const CITY = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    people: { type: 'number' },
    rivers: { type: 'array', items: { $ref: '#/$defs/river' } },
    capital: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
  },
  required: ['name', 'people', 'rivers', 'capital'],
  additionalProperties: false,
  $defs: { river: { type: 'string' } },
};
/** What a description by this schema looks like. */
const A_CITY: unknown = {
  name: expect.any(String),
  people: expect.any(Number),
  rivers: [expect.any(String)],
  capital: expect.any(Boolean),
};
const SUM = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
  additionalProperties: false,
};
const ask = (content: string) => [{ role: 'user' as const, content }];
const parse = (json: string): unknown => JSON.parse(json);
const cityFormat = makeParseableResponseFormat(
  { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: CITY } },
  parse,
);
const functionTool = (name: string, parameters: object) => ({
  type: 'function' as const,
  function: { name, strict: true, parameters: { ...parameters } },
});
const runnable = {
  type: 'function' as const,
  function: {
    name: 'calculator',
    description: 'Evaluates an expression.',
    parameters: SUM,
    parse: (json: string) => JSON.parse(json) as { expression: string },
    function: ({ expression }: { expression: string }) => `the value of ${expression}`,
  },
};

describe('Chat Completions', () => {
  it('SIM-14: a stream gives its usage in a last chunk, and the helper puts the pieces together', async () => {
    const stream = client().chat.completions.stream({
      model: MODEL,
      messages: ask('What is a tree?'),
      stream_options: { include_usage: true },
    });
    let text = '';
    stream.on('content', (delta) => (text += delta));
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe(text);
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    expect(await stream.totalUsage()).toMatchObject({ total_tokens: completion.usage?.total_tokens });
    expect(complaints()).toEqual([]);
  });

  it.each([false, true])('SIM-14: runTools runs the tools and ends with a text (stream: %s)', async (stream) => {
    const body = { model: MODEL, messages: ask('What is 17 * 23?'), tools: [runnable] };
    const results: string[] = [];
    const { completions } = client().chat;
    const runner = stream
      ? completions
          .runTools({ ...body, stream: true, stream_options: { include_usage: true } })
          .on('functionToolCallResult', (result) => results.push(result))
      : completions.runTools(body).on('functionToolCallResult', (result) => results.push(result));
    expect(await runner.finalContent()).not.toBe('');
    expect(results).toEqual(['the value of 17 * 23']);
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0);
    expect(complaints()).toEqual([]);
  });

  it.each([false, true])('SIM-14: parse gets what its schema describes (stream: %s)', async (stream) => {
    const body = { model: MODEL, messages: ask('Describe Vienna.'), response_format: cityFormat };
    const completion = stream
      ? await client().chat.completions.stream(body).finalChatCompletion()
      : await client().chat.completions.parse(body);
    expect(completion.choices[0]?.message.parsed).toEqual(A_CITY);
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: parse reads the arguments of strict tools', async () => {
    const completion = await client().chat.completions.parse({
      model: MODEL,
      messages: ask('What is 17 * 23?'),
      tools: [functionTool('calculator', SUM)],
    });
    expect(completion.choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual({
      expression: '17 * 23',
    });
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: a JSON object is a JSON object', async () => {
    const { choices } = await client().chat.completions.create({
      model: MODEL,
      messages: ask('Describe Vienna as JSON.'),
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toBeTypeOf('object');
  });

  it.each([['required' as const], [{ type: 'function' as const, function: { name: 'calculator' } }]])(
    'SIM-14: a forced tool is called: %j',
    async (tool_choice) => {
      const { choices } = await client().chat.completions.create({
        model: MODEL,
        messages: ask('Hello.'),
        tools: [functionTool('clock', { type: 'object', properties: {} }), functionTool('calculator', SUM)],
        tool_choice,
      });
      const [call] = choices[0]?.message.tool_calls ?? [];
      expect(choices[0]?.finish_reason).toBe(tool_choice === 'required' ? 'tool_calls' : 'stop');
      expect(call).toMatchObject({ type: 'function' });
      if (tool_choice !== 'required') expect(call).toMatchObject({ function: { name: 'calculator' } });
      expect(complaints()).toEqual([]);
    },
  );

  it('SIM-14: without parallel calls there is one at a time', async () => {
    const { choices } = await client().chat.completions.create({
      model: MODEL,
      messages: ask('/sim tools calculator x3'),
      tools: [functionTool('calculator', SUM)],
      parallel_tool_calls: false,
    });
    expect(choices[0]?.message.tool_calls).toHaveLength(1);
  });

  it('SIM-14: a refusal and a reply that was cut are what parse says they are', async () => {
    const response_format = cityFormat;
    const refused = await client().chat.completions.parse({
      model: MODEL,
      messages: ask('/sim refuse'),
      response_format,
    });
    expect(refused.choices[0]?.message).toMatchObject({ parsed: null, refusal: expect.any(String) });
    await expect(
      client().chat.completions.parse({ model: MODEL, messages: ask('/sim max_tokens'), response_format }),
    ).rejects.toThrow(LengthFinishReasonError);
  });

  it('SIM-14: several choices, a developer message, and the id of the request', async () => {
    const { data, request_id } = await client()
      .chat.completions.create({
        model: MODEL,
        messages: [{ role: 'developer', content: 'Be brief.' }, ...ask('Hello.')],
        n: 2,
      })
      .withResponse();
    expect(data.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(request_id).toMatch(/^req_/);
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: custom tools are called with text, and their results are taken', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('/sim tools sql');
    const tools = [{ type: 'custom' as const, custom: { name: 'sql', description: 'Runs SQL.' } }];
    const first = await client().chat.completions.create({ model: MODEL, messages, tools });
    const [call] = first.choices[0]?.message.tool_calls ?? [];
    if (call?.type !== 'custom') return expect.unreachable('no custom call');
    expect(call.custom).toMatchObject({ name: 'sql', input: expect.any(String) });
    messages.push(first.choices[0]?.message ?? expect.unreachable(), {
      role: 'tool',
      tool_call_id: call.id,
      content: '1',
    });
    const second = await client().chat.completions.create({ model: MODEL, messages, tools });
    expect(second.choices[0]?.message.content).not.toBe('');
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: a model is found by its name', async () => {
    expect((await client().models.retrieve(MODEL)).id).toBe(MODEL);
    await expect(client().models.retrieve('gpt-0')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('SIM-14: a refused request is the error that the client knows', async () => {
    const wrong = client().chat.completions.create({ model: MODEL, messages: ask('Hello.'), temperature: 0.2 });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature', code: 'unsupported_parameter' });
    await expect(wrong).rejects.toThrow(OpenAI.BadRequestError);
  });
});

describe('Responses', () => {
  const base = { model: MODEL, input: 'What is 17 * 23?' } as const;
  const sum = { type: 'function' as const, name: 'calculator', strict: true, parameters: SUM };

  it.each([false, true])('SIM-14: parse gets what its schema describes (stream: %s)', async (stream) => {
    const body = {
      ...base,
      input: 'Describe Vienna.',
      text: {
        format: makeParseableTextFormat({ type: 'json_schema', name: 'city', strict: true, schema: CITY }, parse),
      },
    };
    const response = stream
      ? await client().responses.stream(body).finalResponse()
      : await client().responses.parse(body);
    expect(response.output_parsed).toEqual(A_CITY);
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: a tool loop on stored responses sends nothing but results', async () => {
    const tools = [sum];
    const first = await client()
      .responses.stream({ ...base, tools })
      .finalResponse();
    const [call] = first.output.filter((item) => item.type === 'function_call');
    if (call === undefined) return expect.unreachable('no call');
    expect(call.parsed_arguments).toEqual({ expression: '17 * 23' });
    const second = await client()
      .responses.stream({
        model: MODEL,
        tools,
        previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id: call.call_id, output: '391' }],
      })
      .finalResponse();
    expect(second.output_text).not.toBe('');
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: reasoning comes encrypted without being asked for, so that the output can go back as it is', async () => {
    const tools = [sum];
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: base.input }];
    const first = await client().responses.create({ ...base, tools, input, store: false });
    expect(first.output[0]).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) });
    for (const item of first.output) input.push(item as OpenAI.Responses.ResponseInputItem);
    for (const item of first.output) {
      if (item.type === 'function_call') {
        input.push({ type: 'function_call_output', call_id: item.call_id, output: '391' });
      }
    }
    const second = await client().responses.create({ ...base, tools, input, store: false });
    expect(second.output_text).not.toBe('');
    expect(complaints()).toEqual([]);
  });

  it.each([['required' as const], [{ type: 'function' as const, name: 'calculator' }]])(
    'SIM-14: a forced tool is called: %j',
    async (tool_choice) => {
      const { output } = await client().responses.create({ ...base, input: 'Hello.', tools: [sum], tool_choice });
      expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'calculator' });
      expect(complaints()).toEqual([]);
    },
  );

  it('SIM-14: a custom tool is called with text, streamed and answered', async () => {
    const tools = [{ type: 'custom' as const, name: 'sql', description: 'Runs SQL.' }];
    const stream = client().responses.stream({ ...base, input: '/sim tools sql', tools });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toContain('response.custom_tool_call_input.delta');
    const first = await stream.finalResponse();
    const call = first.output.find((item) => item.type === 'custom_tool_call');
    const second = await client().responses.create({
      model: MODEL,
      tools,
      previous_response_id: first.id,
      input: [{ type: 'custom_tool_call_output', call_id: call?.call_id ?? '', output: '1 row' }],
    });
    expect(second.output_text).not.toBe('');
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: a stored response is listed, counted, compacted and deleted', async () => {
    const { responses } = client();
    const first = await responses.create({ ...base, input: [{ role: 'user', content: 'Hello.' }] });
    const items = await responses.inputItems.list(first.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
    ]);
    expect((await responses.inputTokens.count({ model: MODEL, input: 'Hello.' })).input_tokens).toBeGreaterThan(0);
    const compacted = await responses.compact({ model: MODEL, previous_response_id: first.id });
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    const next = await responses.create({
      model: MODEL,
      input: [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user', content: 'Go on.' }],
    });
    expect(next.output_text).not.toBe('');
    await responses.delete(first.id);
    await expect(responses.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
    expect(complaints()).toEqual([]);
  });

  it('SIM-14: a refused request is the error that the client knows', async () => {
    const wrong = client().responses.create({ ...base, temperature: 0.2, reasoning: { effort: 'low' } });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature' });
  });
});
