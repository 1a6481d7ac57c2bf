import Anthropic from '@anthropic-ai/sdk';
import type { Content } from '@google/genai';
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

// The official clients know nothing about Bough. What they accept, send back and get accepted is what the providers
// speak.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'clients' });
});
beforeEach(() => simulator.clearLog());
afterAll(() => simulator.close());

const KEY = { apiKey: 'none', maxRetries: 0 };
const anthropic = (): Anthropic => new Anthropic({ ...KEY, baseURL: simulator.url });
const openai = (): OpenAI => new OpenAI({ ...KEY, baseURL: `${simulator.url}/v1` });
const google = (): GoogleGenAI => new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: simulator.url } });

const QUESTION = 'What is a tree?';
const SCHEMA = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
  additionalProperties: false,
};
const MAX_STEPS = 6;

/** What the simulator dropped or refused in this test. */
function complaints(): readonly string[] {
  const found = simulator.log().filter(({ kind }) => kind !== 'accepted');
  return found.map(({ kind, rule, detail }) => `${kind} ${rule}: ${detail}`);
}

describe('@anthropic-ai/sdk', () => {
  const base = { model: 'sim-interleaved', max_tokens: 4_000, thinking: { type: 'adaptive' } } as const;
  const tools = [{ name: 'calculator', input_schema: { ...SCHEMA, type: 'object' as const } }];

  it('SIM-11: a call, a stream, a count, and the list of models', async () => {
    const client = anthropic();
    const messages = [{ role: 'user' as const, content: QUESTION }];
    const whole = await client.messages.create({ ...base, messages });
    expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'text']);
    const streamed = await client.messages.stream({ ...base, messages }).finalMessage();
    expect(streamed.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'text']);
    expect((await client.messages.countTokens({ model: base.model, messages })).input_tokens).toBeGreaterThan(0);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toContain('sim-thinker');
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: a tool loop over two turns, with everything sent back', async () => {
    const client = anthropic();
    const messages: Anthropic.MessageParam[] = [];
    for (const text of [QUESTION, 'And why?']) {
      messages.push({ role: 'user', content: text });
      let steps = 0;
      for (; steps < MAX_STEPS; steps += 1) {
        const reply = await client.messages.stream({ ...base, tools, messages }).finalMessage();
        messages.push({ role: 'assistant', content: reply.content });
        const calls = reply.content.filter((block) => block.type === 'tool_use');
        if (calls.length === 0) break;
        messages.push({
          role: 'user',
          content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '42' })),
        });
      }
      expect(steps).toBe(2);
    }
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: an edited thought is rejected in the words of the provider', async () => {
    const client = anthropic();
    const first = await client.messages.create({ ...base, messages: [{ role: 'user', content: QUESTION }] });
    const content = first.content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: 'Edited.' } : block,
    );
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: QUESTION },
      { role: 'assistant', content },
      { role: 'user', content: 'Go on' },
    ];
    await expect(client.messages.create({ ...base, messages })).rejects.toThrow(/cannot be modified/);
    expect(complaints()).toHaveLength(1);
  });
});

describe('openai, Responses', () => {
  const base = {
    model: 'sim-interleaved',
    store: false,
    include: ['reasoning.encrypted_content' as const],
    reasoning: { effort: 'medium' as const, summary: 'auto' as const },
  };
  const tools = [{ type: 'function' as const, name: 'calculator', parameters: SCHEMA, strict: false }];

  it('SIM-11: a call and a stream', async () => {
    const client = openai();
    const whole = await client.responses.create({ ...base, input: QUESTION });
    expect(whole.output.map(({ type }) => type)).toContain('reasoning');
    expect(whole.output_text).toContain(QUESTION);
    const streamed = await client.responses.stream({ ...base, input: QUESTION }).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(whole.output.map(({ type }) => type));
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: a tool loop over two turns, with every item sent back', async () => {
    const client = openai();
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (const text of [QUESTION, 'And why?']) {
      input.push({ role: 'user', content: text });
      let steps = 0;
      for (; steps < MAX_STEPS; steps += 1) {
        const { output } = await client.responses.stream({ ...base, tools, input }).finalResponse();
        const said = output.filter((item) => ['reasoning', 'message', 'function_call'].includes(item.type));
        for (const item of said) {
          if (item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call') input.push(item);
        }
        const calls = output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) break;
        for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: '42' });
      }
      expect(steps).toBe(2);
    }
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: a stored response is continued by its id', async () => {
    const client = openai();
    const first = await client.responses.create({ ...base, store: true, input: QUESTION });
    const second = await client.responses.create({
      ...base,
      store: true,
      previous_response_id: first.id,
      input: 'And why?',
    });
    expect(second.output_text).not.toBe('');
    expect(complaints()).toEqual([]);
  });
});

describe('openai, Chat Completions', () => {
  const tools = [{ type: 'function' as const, function: { name: 'calculator', parameters: SCHEMA } }];
  const base = { model: 'sim-plain' } as const;

  it('SIM-11: a call, a stream, and the list of models', async () => {
    const client = openai();
    const messages = [{ role: 'user' as const, content: QUESTION }];
    const whole = await client.chat.completions.create({ ...base, messages });
    expect(whole.choices[0]?.message.content).toContain(QUESTION);
    const streamed = await client.chat.completions.stream({ ...base, messages }).finalContent();
    expect(streamed).toContain(QUESTION);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toContain('sim-plain');
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: a tool loop over two turns', async () => {
    const client = openai();
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (const text of ['/sim tools calculator x2 steps 2', 'And why?']) {
      messages.push({ role: 'user', content: text });
      for (let step = 0; step < MAX_STEPS; step += 1) {
        const { choices } = await client.chat.completions.stream({ ...base, tools, messages }).finalChatCompletion();
        const message = choices[0]?.message;
        const calls = message?.tool_calls ?? [];
        messages.push({
          role: 'assistant',
          content: message?.content ?? null,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        });
        if (calls.length === 0) break;
        for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: '42' });
      }
    }
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(4);
    expect(complaints()).toEqual([]);
  });
});

describe('@google/genai', () => {
  const config = { thinkingConfig: { includeThoughts: true } };
  const tools = [{ functionDeclarations: [{ name: 'calculator', parametersJsonSchema: SCHEMA }] }];

  it('SIM-11: a call, a stream, and a count', async () => {
    const client = google();
    const params = { model: 'sim-summary', contents: QUESTION, config };
    const whole = await client.models.generateContent(params);
    expect(whole.candidates?.[0]?.content?.parts?.some((part) => part.thought === true)).toBe(true);
    expect(whole.text).toContain(QUESTION);
    let text = '';
    for await (const chunk of await client.models.generateContentStream(params)) text += chunk.text ?? '';
    expect(text).toContain(QUESTION);
    const { totalTokens } = await client.models.countTokens({ model: 'sim-summary', contents: QUESTION });
    expect(totalTokens).toBeGreaterThan(0);
    expect(complaints()).toEqual([]);
  });

  it('SIM-11: a tool loop over two turns, with every part sent back', async () => {
    const client = google();
    const contents: Content[] = [];
    for (const text of [QUESTION, 'And why?']) {
      contents.push({ role: 'user', parts: [{ text }] });
      for (let step = 0; step < MAX_STEPS; step += 1) {
        const reply = await client.models.generateContent({
          model: 'sim-interleaved',
          contents,
          config: { ...config, tools, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } },
        });
        const parts = reply.candidates?.[0]?.content?.parts ?? [];
        // Google's own advice: the summaries of thoughts are for people.
        contents.push({ role: 'model', parts: parts.filter((part) => part.thought !== true) });
        const calls = reply.functionCalls ?? [];
        if (calls.length === 0) break;
        contents.push({
          role: 'user',
          parts: calls.map(({ id, name }) => ({
            functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: '42' } },
          })),
        });
      }
    }
    expect(contents.filter(({ parts }) => parts?.some((part) => part.functionResponse !== undefined))).toHaveLength(4);
    expect(complaints()).toEqual([]);
  });
});
