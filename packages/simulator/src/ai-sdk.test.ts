import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from 'ai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './server.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const apiKey = 'simulated';
const MODELS: Readonly<Record<string, () => LanguageModel>> = {
  'anthropic-messages': () => createAnthropic({ apiKey, baseURL: `${simulator.url}/v1` })('claude-opus-4-5'),
  'openai-responses': () => createOpenAI({ apiKey, baseURL: `${simulator.url}/v1` }).responses('gpt-5'),
  'openai-chat': () => createOpenAI({ apiKey, baseURL: `${simulator.url}/v1` }).chat('gpt-4.1'),
  gemini: () => createGoogleGenerativeAI({ apiKey, baseURL: `${simulator.url}/v1beta` })('gemini-2.5-pro'),
};

const calculator = tool({
  description: 'Evaluates an expression.',
  inputSchema: jsonSchema<{ expression: string }>({
    type: 'object',
    properties: { expression: { type: 'string' } },
    required: ['expression'],
  }),
  execute: async ({ expression }) => `the value of ${expression}`,
});

describe.each(Object.keys(MODELS))('the AI SDK on %s', (protocol) => {
  const model = (): LanguageModel => MODELS[protocol]?.() ?? expect.unreachable();

  it('SIM-AI-1: streams a text', async () => {
    const result = streamText({ model: model(), prompt: '/sim say Hello from the simulator' });
    expect(await result.text).toContain('Hello from the simulator');
    expect((await result.usage).outputTokens).toBeGreaterThan(0);
  });

  it('SIM-AI-2: runs a tool loop to its end', async () => {
    const { steps, text } = await generateText({
      model: model(),
      prompt: '/sim tools calculator',
      tools: { calculator },
      stopWhen: stepCountIs(4),
    });
    expect(steps.flatMap((step) => step.toolCalls).map((call) => call.toolName)).toContain('calculator');
    expect(text).not.toBe('');
  });
});
