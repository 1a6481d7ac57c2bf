import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { ProtocolId } from '@bough/core';
import type { Peer } from './official.ts';
import type { Reader } from './readers.ts';

const BASE = 'http://127.0.0.1:9';
const KEY = 'bench';

/** What the four providers have in common. */
type Model = ReturnType<ReturnType<typeof createAnthropic>>;

function modelOf(protocol: ProtocolId, model: string, fetch: typeof globalThis.fetch): Model {
  const settings = { apiKey: KEY, baseURL: BASE, fetch };
  switch (protocol) {
    case 'anthropic-messages':
      return createAnthropic(settings)(model);
    case 'openai-responses':
      return createOpenAI(settings).responses(model);
    case 'openai-chat':
      return createOpenAI(settings).chat(model);
    case 'gemini':
      return createGoogleGenerativeAI(settings)(model);
  }
}

const read: Reader = async ({ protocol, model }, fetch) => {
  const { stream } = await modelOf(protocol, model, fetch).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'What does the library hold on bread?' }] }],
  });
  let [thinking, text] = ['', ''];
  const calls: { name: string; input: string }[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value;
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'reasoning-delta') thinking += part.delta;
    if (part.type === 'tool-call') calls.push({ name: part.toolName, input: part.input });
  }
  return () => ({
    thinking,
    text,
    calls: calls.map(({ name, input }) => ({ name, parameters: JSON.parse(input) as unknown })),
  });
};

/** Only the provider of the AI SDK, without its `streamText`, which would do more. */
export const AI_SDK: Readonly<Record<ProtocolId, Peer>> = {
  'anthropic-messages': { name: '@ai-sdk/anthropic', read, keeps: ['thinking', 'text', 'calls'] },
  'openai-responses': { name: '@ai-sdk/openai', read, keeps: ['thinking', 'text', 'calls'] },
  // It does not read the reasoning of compatible servers.
  'openai-chat': { name: '@ai-sdk/openai', read, keeps: ['text', 'calls'] },
  gemini: { name: '@ai-sdk/google', read, keeps: ['thinking', 'text', 'calls'] },
};
