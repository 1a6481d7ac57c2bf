import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel, ModelMessage } from 'ai';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../testing/stage.ts';
import { HERE, startStage } from '../testing/stage.ts';

const TARGETS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'] as const;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage(
    TARGETS.flatMap((from) =>
      TARGETS.map((provider) => ({
        from,
        model: `${provider}-any`,
        to: { provider, model: 'sim-interleaved', thinking: 'high' as const },
      })),
    ),
  );
});
afterAll(() => stage.close());
beforeEach(() => stage.simulator.clearLog());

const at = (provider: string): object => ({
  apiKey: 'bough',
  baseURL: `${HERE}/gateway/${provider}`,
  fetch: stage.fetch,
});
const CLIENTS: Readonly<Record<string, (model: string) => LanguageModel>> = {
  anthropic: (model) => createAnthropic(at('simulated/v1'))(model),
  responses: (model) => createOpenAI(at('simulated_responses/v1')).responses(model),
  chat: (model) => createOpenAI(at('simulated_chat/v1')).chat(model),
  google: (model) => createGoogleGenerativeAI(at('simulated_gemini/v1beta'))(model),
};
const PAIRS = Object.keys(CLIENTS).flatMap((client) => TARGETS.map((target) => [client, target] as const));

const calculator = tool({
  description: 'Calculates.',
  inputSchema: jsonSchema<object>({ type: 'object', properties: { expression: { type: 'string' } } }),
  execute: () => Promise.resolve('42'),
});

describe('the AI SDK', () => {
  it.each(PAIRS)('GW-80: a client on its %s provider before %s, with tools, over two turns', async (client, target) => {
    const model = CLIENTS[client]?.(`${target}-any`);
    if (model === undefined) throw new Error('no client');
    const messages: ModelMessage[] = [];
    for (const text of [`${client} ${target}: look. /sim tools calculator steps 2`, 'And then?']) {
      messages.push({ role: 'user', content: text });
      const result = streamText({
        model,
        messages,
        tools: { calculator },
        stopWhen: stepCountIs(6),
        maxRetries: 0,
        maxOutputTokens: 4_000,
        providerOptions: { openai: { store: false } },
        onError: () => undefined,
      });
      expect(await result.text).not.toBe('');
      messages.push(...(await result.response).messages);
    }
    const complaints = stage.simulator
      .log()
      .filter(({ kind, withheld = [] }) => kind !== 'accepted' || withheld.length > 0)
      .map(({ kind, rule, detail }) => `${kind} ${rule ?? ''} ${detail}`);
    expect(complaints).toEqual([]);
  });
});
