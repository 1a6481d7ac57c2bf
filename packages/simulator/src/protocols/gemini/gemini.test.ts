import { isPlainObject } from '@bough/core';
import type { FunctionCall, PartListUnion } from '@google/genai';
import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import { geminiProtocol } from './index.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 'gemini', protocols: [geminiProtocol] });
});
afterEach(() => simulator.close());

type Json = Record<string, unknown>;

const TOOLS = [
  {
    functionDeclarations: [
      {
        name: 'weather',
        description: 'Weather.',
        parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { name: 'clock', description: 'Time.', parametersJsonSchema: { type: 'object', properties: {} } },
    ],
  },
];

const ask = (text: string) => ({ role: 'user', parts: [{ text }] });

async function post(
  body: unknown,
  { model = 'sim-summary', verb = 'generateContent', prefix = '/v1beta' } = {},
): Promise<{ readonly status: number; readonly json: unknown }> {
  const response = await fetch(`${simulator.url}${prefix}/models/${model}:${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

function contentOf(json: unknown): { readonly role: string; readonly parts: readonly Json[] } {
  const candidates = isPlainObject(json) && Array.isArray(json['candidates']) ? json['candidates'] : [];
  const content: unknown = isPlainObject(candidates[0]) ? candidates[0]['content'] : undefined;
  if (!isPlainObject(content) || !Array.isArray(content['parts'])) throw new Error(JSON.stringify(json));
  return { role: 'model', parts: content['parts'].filter(isPlainObject) };
}

const answersTo = (content: { readonly parts: readonly Json[] }) => ({
  role: 'user',
  parts: content.parts.flatMap(({ functionCall: call }) =>
    isPlainObject(call)
      ? [{ functionResponse: { id: call['id'], name: call['name'], response: { output: 'rain' } } }]
      : [],
  ),
});

const unsigned = (part: Json): Json =>
  Object.fromEntries(Object.entries(part).filter(([name]) => name !== 'thoughtSignature'));

const refusal = (json: unknown): unknown =>
  isPlainObject(json) && isPlainObject(json['error']) ? json['error']['message'] : json;
const kinds = () => simulator.log().map((entry) => entry.kind);

/** A tool loop up to the point where the calls have just been made. */
async function called(model = 'sim-summary') {
  const question = ask('/sim tools weather clock');
  const { json } = await post({ contents: [question], tools: TOOLS }, { model });
  const calls = contentOf(json);
  return { question, calls, answers: answersTo(calls) };
}

describe('simulated gemini: what it accepts', () => {
  it('SIM-GEM-1: answers whole, as events and as an array, under any prefix, with equal content', async () => {
    const body = {
      contents: [ask('/sim say The same words.')],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    };
    const whole = await post(body, { prefix: '/some/proxy/v1beta' });
    const array = await post(body, { verb: 'streamGenerateContent', prefix: '/v1' });
    const events = await fetch(`${simulator.url}/v1beta/models/sim-summary:streamGenerateContent?alt=sse`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const streamed = (await events.text())
      .split('\r\n\r\n')
      .filter((frame) => frame !== '')
      .map((frame): unknown => JSON.parse(frame.replace('data: ', '')));
    const said = (chunks: readonly unknown[]) =>
      chunks
        .flatMap((chunk) =>
          contentOf(chunk)
            .parts.filter((part) => part['thought'] !== true)
            .map((part) => part['text']),
        )
        .join('');
    expect(said(streamed)).toBe(said([whole.json]));
    expect(Array.isArray(array.json) && said(array.json)).toBe(said([whole.json]));
    expect(events.headers.get('content-type')).toContain('text/event-stream');
  });

  it('SIM-GEM-1: lists its models, describes one, counts tokens', async () => {
    const list = await (await fetch(`${simulator.url}/v1beta/models`)).json();
    expect(list).toMatchObject({
      models: expect.arrayContaining([expect.objectContaining({ name: 'models/sim-summary' })]),
    });
    const one = await (await fetch(`${simulator.url}/v1beta/models/gemini-3.8-flash`)).json();
    expect(one).toMatchObject({ name: 'models/gemini-3.8-flash', inputTokenLimit: 1_048_576 });
    expect((await post({ contents: [ask('Hello')] }, { verb: 'countTokens' })).json).toMatchObject({
      totalTokens: expect.any(Number),
    });
    expect(
      geminiProtocol.accepts({
        method: 'GET',
        path: '/v1/models',
        query: new URLSearchParams(),
        headers: {},
        body: null,
      }),
    ).toBe(false);
  });

  it('SIM-GEM-2: the first of parallel calls is signed, and going on with everything in place is accepted', async () => {
    const { question, calls, answers } = await called();
    const made = calls.parts.filter((part) => part['functionCall'] !== undefined);
    expect(made).toHaveLength(2);
    expect(made.map((part) => typeof part['thoughtSignature'])).toEqual(['string', 'undefined']);
    const { status } = await post({ contents: [question, calls, answers], tools: TOOLS });
    expect(status).toBe(200);
    expect(kinds()).toEqual(['accepted', 'accepted']);
  });

  it('SIM-GEM-2: thoughts leave only when they are asked for; their signature leaves either way', async () => {
    const hidden = contentOf((await post({ contents: [ask('Hello')] })).json);
    expect(hidden.parts.some((part) => part['thought'] === true)).toBe(false);
    expect(hidden.parts.at(-1)).toHaveProperty('thoughtSignature');
    const off = await post(
      { contents: [ask('Hello')], generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      { model: 'gemini-2.5-flash' },
    );
    expect(contentOf(off.json).parts.some((part) => part['thoughtSignature'] !== undefined)).toBe(false);
  });

  it('SIM-GEM-2: a signature given before a restart is accepted after it', async () => {
    const { question, calls, answers } = await called();
    await simulator.close();
    simulator = await startSimulator({ seed: 'another', protocols: [geminiProtocol] });
    expect((await post({ contents: [question, calls, answers], tools: TOOLS })).status).toBe(200);
  });

  it('SIM-GEM-2: the documented values are accepted in place of a signature', async () => {
    const { question, calls, answers } = await called();
    const parts = calls.parts.map((part) =>
      part['thoughtSignature'] ? { ...part, thoughtSignature: 'skip_thought_signature_validator' } : part,
    );
    expect((await post({ contents: [question, { ...calls, parts }, answers], tools: TOOLS })).status).toBe(200);
  });
});

describe('simulated gemini: what it refuses', () => {
  it.each([
    [{ contents: [] }, 'contents is not specified'],
    [{ contents: [{ role: 'system', parts: [{ text: 'x' }] }] }, 'Please use a valid role: user, model.'],
    [{ contents: [ask('x')], messages: [] }, 'Unknown name "messages": Cannot find field.'],
    [
      { contents: [ask('x'), { role: 'model', parts: [{ text: 'y' }] }] },
      'Requests ending with a model turn are not supported.',
    ],
    [
      { contents: [ask('x')], toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
      'without function_declarations',
    ],
  ])('SIM-GEM-3: %j', async (body, text) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json).toEqual({ error: { code: 400, message: expect.stringContaining(text), status: 'INVALID_ARGUMENT' } });
    expect(kinds()).toEqual(['rejected']);
  });

  it('SIM-GEM-3: an error of a stream without events is an array', async () => {
    const { json } = await post({ contents: [] }, { verb: 'streamGenerateContent' });
    expect(json).toEqual([{ error: expect.objectContaining({ code: 400 }) }]);
  });

  it('SIM-GEM-4: a call of the running turn without its signature', async () => {
    const { question, calls, answers } = await called();
    const parts = calls.parts.map(unsigned);
    const { status, json } = await post({ contents: [question, { ...calls, parts }, answers], tools: TOOLS });
    expect(status).toBe(400);
    expect(refusal(json)).toContain('Function call is missing a thought_signature in functionCall parts.');
    expect(refusal(json)).toContain('`default_api:weather`');
    const old = await post({ contents: [question, { ...calls, parts }, answers, ask('so?')], tools: TOOLS });
    expect(old.status).toBe(200);
  });

  it('SIM-GEM-4: a signature that was altered, given to another model, or moved to another call', async () => {
    const { question, calls, answers } = await called();
    const change = (edit: (part: Json, index: number) => Json) => ({ ...calls, parts: calls.parts.map(edit) });
    const signature =
      calls.parts.map((part) => part['thoughtSignature']).find((value) => typeof value === 'string') ?? '';
    const altered = change((part) =>
      part['thoughtSignature'] ? { ...part, thoughtSignature: `A${signature.slice(1)}` } : part,
    );
    const rewritten = change((part) =>
      part['thoughtSignature'] && isPlainObject(part['functionCall'])
        ? { ...part, functionCall: { ...part['functionCall'], args: { city: 'Oslo' } } }
        : part,
    );
    const send = (content: unknown, model = 'sim-summary') =>
      post({ contents: [question, content, answers], tools: TOOLS }, { model });
    expect(refusal((await send(altered)).json)).toBe('Corrupted thought signature.');
    expect(refusal((await send(rewritten)).json)).toBe('Invalid thought signature.');
    expect(refusal((await send(calls, 'sim-parallel')).json)).toBe('Invalid thought signature.');
    expect((await send(calls)).status).toBe(200);
  });

  it('SIM-GEM-5: what Google would lose in silence is accepted and noted', async () => {
    const question = ask('Hello');
    const reply = contentOf((await post({ contents: [question] })).json);
    const stripped = { ...reply, parts: reply.parts.map(unsigned) };
    const edited = { ...reply, parts: reply.parts.map((part) => ({ ...part, text: 'Something else.' })) };
    for (const [content, rule] of [
      [stripped, 'SIM-GEM-LOST'],
      [edited, 'SIM-GEM-MOVED'],
    ] as const) {
      simulator.clearLog();
      expect((await post({ contents: [question, content, question] })).status).toBe(200);
      expect(simulator.log()).toEqual([
        expect.objectContaining({ kind: 'silent_drop', rule }),
        expect.objectContaining({ kind: 'accepted' }),
      ]);
    }
    simulator.clearLog();
    await post({ contents: [question, reply, question] });
    expect(kinds()).toEqual(['accepted']);
  });
});

describe('simulated gemini: the official client', () => {
  const client = () => new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: simulator.url } });

  it('SIM-GEM-6: answers, streams and counts for it', async () => {
    const request = {
      model: 'gemini-3.8-flash',
      contents: '/sim say Good morning.',
      config: { thinkingConfig: { includeThoughts: true } },
    };
    const whole = await client().models.generateContent(request);
    expect(whole.text).toBe('Good morning.');
    expect(whole.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    let text = '';
    let thoughts = '';
    for await (const chunk of await client().models.generateContentStream(request)) {
      text += chunk.text ?? '';
      for (const part of chunk.candidates?.[0]?.content?.parts ?? [])
        thoughts += part.thought === true ? (part.text ?? '') : '';
    }
    expect(text).toBe(whole.text);
    expect(thoughts).not.toBe('');
    expect((await client().models.countTokens({ model: 'm', contents: 'Hello' })).totalTokens).toBeGreaterThan(0);
  });

  it('SIM-GEM-6: its chat goes through a tool loop and many turns without a refusal', async () => {
    const chat = client().chats.create({ model: 'gemini-3.8-flash', config: { tools: TOOLS } });
    for (const message of ['/sim tools weather clock x2 steps 2', 'Thanks', '/sim tools clock', '/sim unicode']) {
      let response = await chat.sendMessage({ message });
      for (let step = 0; response.functionCalls !== undefined && step < 5; step += 1) {
        response = await chat.sendMessage({
          message: response.functionCalls.map(({ id, name }) => ({
            functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: 'rain' } },
          })),
        });
      }
      expect(response.text).not.toBe('');
    }
    expect(new Set(kinds())).toEqual(new Set(['accepted']));
  });

  it.each(['gemini-3.8-flash', 'gemini-2.5-flash', 'sim-summary'])(
    'SIM-GEM-8: its streamed chat sends every chunk as a content, the empty last one too: %s',
    async (model) => {
      const chat = client().chats.create({ model, config: { tools: TOOLS } });
      const send = async (message: PartListUnion) => {
        const calls: FunctionCall[] = [];
        for await (const chunk of await chat.sendMessageStream({ message })) calls.push(...(chunk.functionCalls ?? []));
        return calls;
      };
      for (const message of ['/sim tools weather clock x2 steps 2', 'Thanks', '/sim tools clock']) {
        let calls = await send(message);
        for (let step = 0; calls.length > 0 && step < 5; step += 1) {
          calls = await send(
            calls.map(({ id, name }) => ({
              functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: 'rain' } },
            })),
          );
        }
      }
      const roles = chat.getHistory(true).map(({ role }) => role);
      expect(roles.some((role, at) => role === 'model' && roles[at + 1] === 'model')).toBe(true);
      expect(chat.getHistory(true)).toContainEqual({ role: 'model', parts: [{ text: '' }] });
      expect(new Set(kinds())).toEqual(new Set(['accepted']));
    },
  );

  it('SIM-GEM-9: it goes on with a generation that takes several requests, whole and streamed', async () => {
    const chat = client().chats.create({ model: 'gemini-3.8-flash' });
    const whole = await chat.sendMessage({ message: '/sim hops 3 /sim say One, two, three and four.' });
    expect(whole.text).toBe('One, two, three and four.');
    let text = '';
    for await (const chunk of await chat.sendMessageStream({ message: '/sim hops 2 /sim say And five.' }))
      text += chunk.text ?? '';
    expect(text).toBe('And five.');
    await chat.sendMessage({ message: 'Thanks' });
    expect(kinds()).toEqual(Array.from({ length: 6 }, () => 'accepted'));
  });

  it('SIM-GEM-6: it reads a refusal as an error', async () => {
    const failing = client().models.generateContent({
      model: 'm',
      contents: [{ role: 'model', parts: [{ text: 'x' }] }],
    });
    await expect(failing).rejects.toMatchObject({ status: 400, message: expect.stringContaining('model turn') });
  });
});

describe('simulated gemini: tools that Google runs', () => {
  const flag = { toolConfig: { includeServerSideToolInvocations: true } };
  const search = { tools: [{ googleSearch: {} }] };
  const question = ask('What is a tree?');

  it('SIM-GEM-10: call and result are signed on their own, and both signatures are checked', async () => {
    const reply = contentOf((await post({ contents: [question], ...search, ...flag })).json);
    const [call, result, ...rest] = reply.parts;
    expect(call).toMatchObject({ toolCall: { toolType: 'GOOGLE_SEARCH_WEB' }, thoughtSignature: expect.anything() });
    expect(result).toMatchObject({ toolResponse: { toolType: 'GOOGLE_SEARCH_WEB' } });
    expect(result?.['thoughtSignature']).not.toBe(call?.['thoughtSignature']);
    const back = (...parts: readonly unknown[]) =>
      post({ contents: [question, { role: 'model', parts: [...parts, ...rest] }, question], ...search, ...flag });
    expect((await back(call, result)).status).toBe(200);
    const swapped = await back(call, { ...result, thoughtSignature: call?.['thoughtSignature'] });
    expect(refusal(swapped.json)).toBe('Invalid thought signature.');
    const bare = await back(call, unsigned(result ?? {}));
    expect(refusal(bare.json)).toContain('missing a thought_signature in toolResponse parts');
    // Without the flag nothing of it is shown.
    const plain = contentOf((await post({ contents: [question], ...search })).json);
    expect(plain.parts.some((part) => part['toolCall'] !== undefined)).toBe(false);
  });

  it('SIM-GEM-10: together with functions they need the flag, and a model that takes both', async () => {
    const both = { contents: [question], tools: [...search.tools, ...TOOLS] };
    expect(refusal((await post(both)).json)).toBe(
      'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    );
    expect((await post({ ...both, ...flag })).status).toBe(200);
    const old = await post({ ...both, ...flag }, { model: 'gemini-2.5-flash' });
    expect(refusal(old.json)).toBe('Tool use with function calling is unsupported');
  });

  it('SIM-GEM-9: a token is good only for the request that it was given to', async () => {
    const contents = [ask('/sim hops 2 /sim say One, two.')];
    const { json } = await post({ contents });
    const [candidate] = isPlainObject(json) && Array.isArray(json['candidates']) ? json['candidates'] : [];
    expect(candidate).toMatchObject({ finishReason: 'CONTINUATION' });
    const { continuationToken } = isPlainObject(candidate) ? candidate : {};
    const other = await post({ contents: [ask('Something else')], continuationToken });
    expect(refusal(other.json)).toBe('Invalid continuation token.');
    const next = contentOf((await post({ contents, continuationToken })).json);
    expect(next.parts.map(({ text }) => text).join('')).toBe('two.');
  });
});
