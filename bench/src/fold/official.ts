import Anthropic from '@anthropic-ai/sdk';
import type { ProtocolId } from '@bough/core';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Outcome } from './outcome.ts';
import type { Reader } from './readers.ts';

/** The vendor's own client, and what its accumulator keeps of a reply. */
export interface Peer {
  readonly name: string;
  readonly read: Reader;
  readonly keeps: readonly (keyof Outcome)[];
}

const EVERYTHING = ['thinking', 'text', 'calls'] as const;
const QUESTION = 'What does the library hold on bread?';
const BASE = 'http://127.0.0.1:9';

const anthropic: Reader = async ({ model }, fetch) => {
  const client = new Anthropic({ apiKey: 'bench', baseURL: BASE, fetch, maxRetries: 0 });
  const stream = client.messages.stream({
    model,
    max_tokens: 32_000,
    messages: [{ role: 'user', content: QUESTION }],
  });
  const { content } = await stream.finalMessage();
  return () => ({
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, parameters: block.input }] : [],
    ),
  });
};

const responses: Reader = async ({ model }, fetch) => {
  const client = new OpenAI({ apiKey: 'bench', baseURL: BASE, fetch, maxRetries: 0 });
  const stream = client.responses.stream({ model, input: QUESTION });
  const { output } = await stream.finalResponse();
  return () => ({
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
      .join(''),
    text: output
      .flatMap((item) =>
        item.type === 'message' ? item.content.map((part) => (part.type === 'output_text' ? part.text : '')) : [],
      )
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, parameters: JSON.parse(item.arguments) as unknown }] : [],
    ),
  });
};

const chat: Reader = async ({ model }, fetch) => {
  const client = new OpenAI({ apiKey: 'bench', baseURL: BASE, fetch, maxRetries: 0 });
  const stream = client.chat.completions.stream({ model, messages: [{ role: 'user', content: QUESTION }] });
  const { choices } = await stream.finalChatCompletion();
  const message = choices[0]?.message;
  return () => ({
    thinking: '',
    text: message?.content ?? '',
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, parameters: JSON.parse(call.function.arguments) as unknown }]
        : [],
    ),
  });
};

/** It has no accumulator: its stream is read, and the texts are concatenated as in its documentation. */
const gemini: Reader = async ({ model }, fetch) => {
  const client = new GoogleGenAI({ apiKey: 'bench', httpOptions: { baseUrl: BASE } });
  const outside = globalThis.fetch;
  // It does not accept a custom fetch.
  globalThis.fetch = fetch;
  try {
    let [thinking, text] = ['', ''];
    const calls: { name: string; parameters: unknown }[] = [];
    for await (const chunk of await client.models.generateContentStream({ model, contents: QUESTION })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        if (part.functionCall !== undefined)
          calls.push({ name: part.functionCall.name ?? '', parameters: part.functionCall.args });
        else if (part.thought === true) thinking += part.text ?? '';
        else text += part.text ?? '';
      }
    }
    return () => ({ thinking, text, calls });
  } finally {
    globalThis.fetch = outside;
  }
};

export const OFFICIAL: Readonly<Record<ProtocolId, Peer>> = {
  'anthropic-messages': { name: '@anthropic-ai/sdk', read: anthropic, keeps: EVERYTHING },
  'openai-responses': { name: 'openai', read: responses, keeps: EVERYTHING },
  // The reasoning of compatible servers is not part of its types, and only the last piece stays.
  'openai-chat': { name: 'openai', read: chat, keeps: ['text', 'calls'] },
  gemini: { name: '@google/genai', read: gemini, keeps: EVERYTHING },
};
