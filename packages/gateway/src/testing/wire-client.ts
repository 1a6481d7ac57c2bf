import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';

// A client that keeps its history in the provider's own form, as agents do. What it does to that history between two
// requests is its habit: see `habits.ts`.

export type Json = Record<string, unknown>;
export type Habit = (list: readonly Json[], request: number) => readonly Json[];

export interface WireClientOptions {
  readonly protocol: ProtocolId;
  /** Where the vendor's paths begin. */
  readonly url: string;
  /** The model of each request, in turn. */
  readonly models: readonly string[];
  readonly habit: Habit;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Sent {
  readonly body: string;
  readonly status: number;
  readonly answer: string;
  readonly headers: Headers;
}

export interface WireClient {
  /** Says something and runs the tools that are called, until the model has answered or refused. */
  readonly say: (text: string) => Promise<void>;
  readonly sent: readonly Sent[];
}

const MAX_STEPS = 6;
const PARAMETERS = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
  additionalProperties: false,
};
const TOOL = { name: 'calculator', description: 'Evaluates an expression.' };

export function createWireClient(options: WireClientOptions): WireClient {
  const { protocol, url, models, habit } = options;
  const manner = MANNERS[protocol];
  const sent: Sent[] = [];
  /** As a careful client would keep it. */
  const history: Json[] = [];
  const ask = async (): Promise<readonly Json[] | null> => {
    const model = models[sent.length % models.length] ?? '';
    const body = JSON.stringify(manner.body(model, [...habit(structuredClone(history), sent.length)]));
    const response = await fetch(`${url}${manner.path(model)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...manner.headers, ...options.headers },
      body,
    });
    const answer = await response.text();
    sent.push({ body, status: response.status, answer, headers: response.headers });
    return response.ok ? manner.reply(JSON.parse(answer) as Json) : null;
  };
  return {
    sent,
    say: async (text) => {
      history.push(manner.question(text));
      for (let step = 0; step < MAX_STEPS; step += 1) {
        const reply = await ask();
        if (reply === null) return;
        history.push(...reply);
        const results = manner.results(reply, (id) => `The result of ${id.length} letters is 42.`);
        if (results.length === 0) return;
        history.push(...results);
      }
    },
  };
}

interface Manner {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: (model: string) => string;
  readonly body: (model: string, list: readonly Json[]) => Json;
  readonly question: (text: string) => Json;
  readonly reply: (answer: Json) => readonly Json[];
  readonly results: (reply: readonly Json[], resultOf: (id: string) => string) => readonly Json[];
}

const MANNERS: Readonly<Record<ProtocolId, Manner>> = {
  'anthropic-messages': {
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
    path: () => '/v1/messages',
    body: (model, messages) => ({
      model,
      max_tokens: 4_000,
      thinking: { type: 'adaptive' },
      tools: [{ ...TOOL, input_schema: PARAMETERS }],
      messages,
    }),
    question: (text) => ({ role: 'user', content: text }),
    reply: ({ content }) => [{ role: 'assistant', content }],
    results: ([reply], resultOf) => {
      const calls = objects(reply?.['content']).filter(({ type }) => type === 'tool_use');
      const content = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: resultOf(String(id)) }));
      return content.length === 0 ? [] : [{ role: 'user', content }];
    },
  },
  'openai-responses': {
    headers: {},
    path: () => '/v1/responses',
    body: (model, input) => ({
      model,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS, strict: true }],
      input,
    }),
    question: (text) => ({ role: 'user', content: text }),
    reply: ({ output }) => objects(output),
    results: (reply, resultOf) =>
      reply
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: resultOf(String(id)) })),
  },
  'openai-chat': {
    headers: {},
    path: () => '/v1/chat/completions',
    body: (model, messages) => ({
      model,
      reasoning_effort: 'medium',
      tools: [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }],
      messages,
    }),
    question: (text) => ({ role: 'user', content: text }),
    // The model does not always think between two tools, and its server demands a thought nevertheless.
    reply: ({ choices }) =>
      objects(choices).flatMap(({ message }) =>
        isPlainObject(message) ? [{ reasoning_content: ' ', ...message }] : [],
      ),
    results: ([reply], resultOf) =>
      objects(reply?.['tool_calls']).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: resultOf(String(id)),
      })),
  },
  gemini: {
    headers: {},
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, contents) => ({
      contents,
      tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: PARAMETERS }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    }),
    question: (text) => ({ role: 'user', parts: [{ text }] }),
    reply: ({ candidates }) =>
      objects(candidates).flatMap(({ content }) =>
        isPlainObject(content)
          ? [{ ...content, parts: objects(content['parts']).filter((p) => p['thought'] !== true) }]
          : [],
      ),
    results: ([reply], resultOf) => {
      const calls = objects(reply?.['parts']).flatMap(({ functionCall: call }) => (isPlainObject(call) ? [call] : []));
      const parts = calls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: resultOf(String(name)) } },
      }));
      return parts.length === 0 ? [] : [{ role: 'user', parts }];
    },
  },
};

export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isPlainObject) : [];
}
