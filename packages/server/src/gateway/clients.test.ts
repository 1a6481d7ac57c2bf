import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { LanguageModel } from 'ai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { APIError as OpenAIError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { GatewayStage } from './testing.ts';
import { startStage } from './testing.ts';

// The official clients, with one base URL changed. What they accept is what the vendors speak.

const QUESTION = 'What is a tree?';
const NO_RETRY = { apiKey: 'bough', maxRetries: 0 };
const SCHEMA = {
  type: 'object' as const,
  properties: { expression: { type: 'string' as const } },
  required: ['expression'],
};

const refusedIn = ({ simulator }: GatewayStage): readonly unknown[] =>
  simulator.log().filter(({ kind }) => kind === 'rejected');

describe('official SDKs', () => {
  it('GW-1: @anthropic-ai/sdk: calls, streams, counts, lists and a tool loop', async () => {
    const stage = await startStage();
    const client = new Anthropic({ ...NO_RETRY, baseURL: stage.at('anthropic') });
    const base = { model: 'sim-interleaved', max_tokens: 4_000, thinking: { type: 'adaptive' as const } };
    const tools = [{ name: 'calculator', input_schema: SCHEMA }];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
    const whole = await client.messages.create({ ...base, messages });
    expect(whole.content.map(({ type }) => type)).toContain('thinking');
    let steps = 0;
    for (; steps < 6; steps += 1) {
      const reply = await client.messages.stream({ ...base, tools, messages }).finalMessage();
      messages.push({ role: 'assistant', content: reply.content });
      const calls = reply.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) break;
      const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: '42' }));
      messages.push({ role: 'user', content: results });
    }
    expect(steps).toBeGreaterThan(0);
    const counted = await client.messages.countTokens({ model: base.model, messages: messages.slice(0, 1) });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
    expect(refusedIn(stage)).toEqual([]);
  });

  it('GW-1: openai: Responses and Chat Completions, streamed and not, and the list of models', async () => {
    const stage = await startStage();
    const client = new OpenAI({ ...NO_RETRY, baseURL: `${stage.at('openai_responses')}/v1` });
    const base = { model: 'sim-interleaved', store: false, include: ['reasoning.encrypted_content' as const] };
    const whole = await client.responses.create({ ...base, input: QUESTION });
    expect(whole.output_text).toContain(QUESTION);
    const streamed = await client.responses.stream({ ...base, input: QUESTION }).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(whole.output.map(({ type }) => type));
    const messages = [{ role: 'user' as const, content: QUESTION }];
    const chat = new OpenAI({ ...NO_RETRY, baseURL: `${stage.at('openai')}/v1` });
    expect(await chat.chat.completions.stream({ model: 'sim-plain', messages }).finalContent()).toContain(QUESTION);
    const said = await client.chat.completions.create({ model: 'sim-plain', messages });
    expect(said.choices[0]?.message.content).toContain(QUESTION);
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
    expect(refusedIn(stage)).toEqual([]);
  });

  it('GW-1: @google/genai: calls, streams and counts', async () => {
    const stage = await startStage();
    const client = new GoogleGenAI({ apiKey: 'bough', httpOptions: { baseUrl: stage.at('gemini') } });
    const params = { model: 'sim-summary', contents: QUESTION };
    expect((await client.models.generateContent(params)).text).toContain(QUESTION);
    let text = '';
    for await (const chunk of await client.models.generateContentStream(params)) text += chunk.text ?? '';
    expect(text).toContain(QUESTION);
    expect((await client.models.countTokens(params)).totalTokens).toBeGreaterThan(0);
    expect(refusedIn(stage)).toEqual([]);
  });

  it.each<[string, (stage: GatewayStage) => LanguageModel]>([
    [
      'Anthropic',
      ({ at }) => createAnthropic({ apiKey: 'bough', baseURL: `${at('anthropic')}/v1` })('claude-opus-4-5'),
    ],
    ['Responses', ({ at }) => createOpenAI({ apiKey: 'bough', baseURL: `${at('openai')}/v1` }).responses('gpt-5')],
    ['chat', ({ at }) => createOpenAI({ apiKey: 'bough', baseURL: `${at('openai')}/v1` }).chat('gpt-4.1')],
    [
      'Gemini',
      ({ at }) => createGoogleGenerativeAI({ apiKey: 'bough', baseURL: `${at('gemini')}/v1beta` })('gemini-2.5-pro'),
    ],
  ])('GW-1: the AI SDK on %s streams and runs a tool loop', async (_, modelOf) => {
    const stage = await startStage();
    const model = modelOf(stage);
    expect(await streamText({ model, prompt: '/sim say Hello there' }).text).toContain('Hello there');
    const calculator = tool({
      inputSchema: jsonSchema<{ expression: string }>(SCHEMA),
      execute: async ({ expression }) => `the value of ${expression}`,
    });
    const { steps } = await generateText({
      model,
      prompt: '/sim tools calculator',
      tools: { calculator },
      stopWhen: stepCountIs(4),
    });
    expect(steps.flatMap((step) => step.toolCalls)).not.toEqual([]);
    expect(refusedIn(stage)).toEqual([]);
  });
});

describe('official SDKs, when something goes wrong', () => {
  it('GW-14: they read the error event of a stream that broke off as an error', async () => {
    const stage = await startStage();
    stage.tee.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': nothing yet\n\n', () => setTimeout(() => response.destroy(), 20));
      return true;
    });
    const anthropic = new Anthropic({ ...NO_RETRY, baseURL: stage.at('anthropic') });
    const streaming = anthropic.messages.stream({
      model: 'm',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x' }],
    });
    await expect(streaming.finalMessage()).rejects.toThrow(AnthropicError);
    const openai = new OpenAI({ ...NO_RETRY, baseURL: `${stage.at('openai')}/v1` });
    const events = async (stream: AsyncIterable<unknown>): Promise<readonly unknown[]> => {
      const all: unknown[] = [];
      for await (const event of stream) all.push(event);
      return all;
    };
    // Here the SDK hands errors of the vendor to the program, as events.
    const responses = await openai.responses.create({ model: 'm', input: 'x', stream: true });
    expect(await events(responses)).toMatchObject([{ type: 'error', code: 'server_error' }]);
    const messages = [{ role: 'user' as const, content: 'x' }];
    const chat = await openai.chat.completions.create({ model: 'm', messages, stream: true });
    await expect(events(chat)).rejects.toThrow(OpenAIError);
    const google = new GoogleGenAI({ apiKey: 'bough', httpOptions: { baseUrl: stage.at('gemini') } });
    const gemini = await google.models.generateContentStream({ model: 'm', contents: 'x' });
    await expect(events(gemini)).rejects.toThrow(/closed|reset|UNAVAILABLE/);
  });

  it('GW-3: they read the gateway’s own refusals, and do not repeat what cannot succeed', async () => {
    const stage = await startStage({ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' });
    const anthropic = new Anthropic({ apiKey: 'bough', baseURL: stage.at('anthropic') });
    const asked = anthropic.messages.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] });
    await expect(asked).rejects.toMatchObject({ status: 401, message: expect.stringContaining('ANTHROPIC_API_KEY') });
    const openai = new OpenAI({ apiKey: 'bough', baseURL: `${stage.at('openai')}/v1` });
    await expect(openai.responses.create({ model: 'm', input: 'x' })).rejects.toMatchObject({ status: 401 });
    const lines = stage.server.logged().filter((line) => line.includes('"event":"gateway"'));
    expect(lines).toHaveLength(2);
  });
});
