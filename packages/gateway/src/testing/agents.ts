import Anthropic from '@anthropic-ai/sdk';
import type { ProtocolId } from '@bough/core';
import { pngBytes } from '@bough/providers';
import type { Content, Part } from '@google/genai';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Stage } from './stage.ts';
import { HERE } from './stage.ts';

/** An agent on an official SDK: it keeps its own history, runs its tools, and knows nothing of Bough. */
export interface Agent {
  /** Says something and works until the model has answered. Rejects with what the SDK throws. */
  readonly say: (text: string, options?: SayOptions) => Promise<string>;
  /** How many requests it made. */
  readonly requests: () => number;
}

export interface SayOptions {
  readonly picture?: boolean;
  /** Stops reading after the first piece, and forgets the reply, as a person who presses Escape. */
  readonly leave?: boolean;
}

export interface AgentOptions {
  readonly stage: Stage;
  readonly provider: string;
  readonly model: string;
  readonly system?: string | undefined;
  /** Names of its tools. */
  readonly tools: readonly string[];
}

const MOST_STEPS = 8;
const KEY = { apiKey: 'bough', maxRetries: 0 };
const SCHEMA = { type: 'object' as const, properties: { expression: { type: 'string' } } };
const PICTURE = Buffer.from(pngBytes(8, 8)).toString('base64');

/** What one request to a model gave. */
interface Step {
  readonly text: string;
  readonly calls: number;
}

/** The loop that every agent has. `step` asks the model with the history and adds the reply, and results, to it. */
function agent(
  add: (text: string, picture: boolean) => void,
  takeBack: () => void,
  step: (leave: boolean) => Promise<Step>,
): Agent {
  let requests = 0;
  return {
    requests: () => requests,
    say: async (text, { picture = false, leave = false } = {}) => {
      add(text, picture);
      for (let steps = 0; steps < MOST_STEPS; steps += 1) {
        requests += 1;
        let done: Step;
        try {
          done = await step(leave);
        } catch (error) {
          if (steps === 0) takeBack();
          throw error;
        }
        if (leave) {
          takeBack();
          return '';
        }
        if (done.calls === 0) return done.text;
      }
      throw new Error('The model never comes to an end.');
    },
  };
}

export const AGENTS: Readonly<Record<ProtocolId, (options: AgentOptions) => Agent>> = {
  'anthropic-messages': ({ stage, provider, model, system, tools }) => {
    const client = new Anthropic({ ...KEY, baseURL: `${HERE}/gateway/${provider}`, fetch: stage.fetch });
    let messages: Anthropic.MessageParam[] = [];
    let before = messages;
    return agent(
      (text, picture) => {
        before = messages;
        const source = { type: 'base64', media_type: 'image/png', data: PICTURE } as const;
        const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text }];
        if (picture) content.unshift({ type: 'image', source });
        messages = [...messages, { role: 'user', content }];
      },
      () => (messages = before),
      async (leave) => {
        const stream = client.messages.stream({
          model,
          max_tokens: 6_000,
          messages,
          thinking: { type: 'enabled', budget_tokens: 2_000 },
          ...(system === undefined ? {} : { system }),
          ...(tools.length > 0 && { tools: tools.map((name) => ({ name, input_schema: SCHEMA })) }),
        });
        if (leave) return first(stream, () => stream.abort());
        const { content } = await stream.finalMessage();
        messages = [...messages, { role: 'assistant', content }];
        const calls = content.filter((block) => block.type === 'tool_use');
        const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '42' }) as const);
        if (calls.length > 0) messages = [...messages, { role: 'user', content: results }];
        return {
          text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
          calls: calls.length,
        };
      },
    );
  },
  'openai-responses': ({ stage, provider, model, system, tools }) => {
    const client = new OpenAI({ ...KEY, baseURL: `${HERE}/gateway/${provider}/v1`, fetch: stage.fetch });
    let input: OpenAI.Responses.ResponseInput = [];
    let before = input;
    return agent(
      (text, picture) => {
        before = input;
        const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text }];
        if (picture)
          content.unshift({ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PICTURE}` });
        input = [...input, { role: 'user', content }];
      },
      () => (input = before),
      async (leave) => {
        const stream = client.responses.stream({
          model,
          input,
          store: false,
          include: ['reasoning.encrypted_content'],
          ...(system === undefined ? {} : { instructions: system }),
          ...(tools.length > 0 && {
            tools: tools.map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: false }) as const),
          }),
        });
        if (leave) return first(stream, () => stream.abort());
        const { output, output_text: text, status, error } = await stream.finalResponse();
        if (status === 'failed') throw new Error(error?.message ?? 'Failed.');
        input = [...input, ...(output as OpenAI.Responses.ResponseInputItem[])];
        const calls = output.filter((item) => item.type === 'function_call');
        input = [
          ...input,
          ...calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '42' }) as const),
        ];
        return { text, calls: calls.length };
      },
    );
  },
  'openai-chat': ({ stage, provider, model, system, tools }) => {
    const client = new OpenAI({ ...KEY, baseURL: `${HERE}/gateway/${provider}/v1`, fetch: stage.fetch });
    let messages: OpenAI.ChatCompletionMessageParam[] =
      system === undefined ? [] : [{ role: 'system', content: system }];
    let before = messages;
    return agent(
      (text, picture) => {
        before = messages;
        const url = `data:image/png;base64,${PICTURE}`;
        const content: OpenAI.ChatCompletionContentPart[] = [{ type: 'text', text }];
        if (picture) content.unshift({ type: 'image_url', image_url: { url } });
        messages = [...messages, { role: 'user', content }];
      },
      () => (messages = before),
      async (leave) => {
        const stream = client.chat.completions.stream({
          model,
          messages,
          ...(tools.length > 0 && {
            tools: tools.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }) as const),
          }),
        });
        if (leave) return first(stream, () => stream.abort());
        const completion = await stream.finalChatCompletion();
        const message = completion.choices[0]?.message;
        if (message === undefined) throw new Error('No choice.');
        const { content, tool_calls: calls = [] } = message;
        messages = [...messages, { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
        messages = [
          ...messages,
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '42' }) as const),
        ];
        return { text: content ?? '', calls: calls.length };
      },
    );
  },
  gemini: ({ stage, provider, model, system, tools }) => {
    const client = new GoogleGenAI({ apiKey: 'bough', httpOptions: { baseUrl: `${HERE}/gateway/${provider}` } });
    let contents: Content[] = [];
    let before = contents;
    return agent(
      (text, picture) => {
        before = contents;
        const inlineData = { mimeType: 'image/png', data: PICTURE };
        contents = [...contents, { role: 'user', parts: [...(picture ? [{ inlineData }] : []), { text }] }];
      },
      () => (contents = before),
      async (leave) => {
        const abort = new AbortController();
        // This SDK knows no other way to reach a server.
        const real = globalThis.fetch;
        globalThis.fetch = stage.fetch;
        try {
          const stream = await client.models.generateContentStream({
            model,
            contents,
            config: {
              abortSignal: abort.signal,
              thinkingConfig: { includeThoughts: true },
              ...(system === undefined ? {} : { systemInstruction: system }),
              ...(tools.length > 0 && {
                tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: SCHEMA })) }],
              }),
            },
          });
          if (leave) return await first(stream, () => abort.abort());
          const parts: Part[] = [];
          for await (const chunk of stream) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
          const kept = parts.filter((part) => part.thought !== true);
          contents = [...contents, { role: 'model', parts: kept }];
          const calls = kept.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
          const results = calls.map(({ id, name }) => ({
            functionResponse: { ...(id !== undefined && { id }), name: name ?? '', response: { output: '42' } },
          }));
          if (calls.length > 0) contents = [...contents, { role: 'user', parts: results }];
          return { text: kept.map(({ text }) => text ?? '').join(''), calls: calls.length };
        } finally {
          globalThis.fetch = real;
        }
      },
    );
  },
};

/** Reads one piece of a reply and leaves. */
async function first(stream: AsyncIterable<unknown>, abort: () => void): Promise<Step> {
  try {
    for await (const _ of stream) break;
    abort();
  } catch {
    // Whoever leaves is told that they left.
  }
  return { text: '', calls: 0 };
}
