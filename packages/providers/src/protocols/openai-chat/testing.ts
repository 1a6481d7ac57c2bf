import type { ContentBlock, ContextItem, Issuer, RawResponse, StreamEvent, ToolDefinition } from '@bough/core';
import { foldToBlocks, messageOf, nodeId } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { deploymentKey } from '../../deployment.ts';
import type { PreparedRequest, RenderInput } from '../../protocol.ts';
import type { ChatModel } from './deployment.ts';
import { chatDeployment } from './deployment.ts';
import type { Quirks } from './traits.ts';
import { prepare } from './request/index.ts';
import { ChatFold } from './response/fold.ts';
import type { Json } from './response/json.ts';

// Small streams and requests in this protocol's format. Only for tests.

export const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm-1' };

/** A chunk with one delta. */
export function chunk(delta: Json, finish: string | null = null, more: Json = {}): string {
  return JSON.stringify({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
}

/** A whole stream: the deltas, a finish reason, `[DONE]`. */
export function streamOf(deltas: readonly Json[], finish = 'stop', more: Json = {}): readonly string[] {
  return [...deltas.map((delta) => chunk(delta)), chunk({}, finish, more), '[DONE]'];
}

export function callDelta(index: number | null, id: string | null, name: string | null, json: string): Json {
  return {
    tool_calls: [
      {
        ...(index !== null && { index }),
        ...(id !== null && { id, type: 'function' }),
        function: { ...(name !== null && { name }), arguments: json },
      },
    ],
  };
}

export function foldAll(
  chunks: readonly string[],
  outcome: Parameters<ChatFold['end']>[0] = { type: 'closed' },
): readonly StreamEvent[] {
  const fold = new ChatFold();
  return [...chunks.flatMap((data) => fold.push({ data })), ...fold.end(outcome)];
}

export function blocksOf(chunks: readonly string[]): readonly ContentBlock[] {
  return foldToBlocks(foldAll(chunks));
}

/** A server that declares only these quirks, with one model. */
export function serverWith(quirks: Partial<Quirks>, model: Partial<ChatModel> = {}): Deployment {
  return chatDeployment({
    id: 'lab',
    label: 'Lab',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyEnv: [],
    baseUrlEnv: [],
    models: [{ id: 'm-1', contextWindow: 100_000, maxOutputTokens: 8_000, thinks: 'on_request', ...model }],
    defaultModel: 'm-1',
    quirks,
  });
}

export function issuerOf(deployment: Deployment, model = deployment.defaultModel): Issuer {
  return { provider: deployment.id, deployment: deploymentKey(deployment), model };
}

export function rawOf(chunks: readonly string[], issuer: Issuer, complete = true): RawResponse {
  return {
    ...issuer,
    api: 'openai-chat',
    version: 1,
    capturedAt: '2026-11-15T00:00:00.000Z',
    complete,
    payload: chunks,
  };
}

export const TOOL: ToolDefinition = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const ITEM = {
  source: 'canonical',
  reasoning: 'omit',
  partial: false,
  answeredCalls: [],
  synthetic: false,
} as const;

export function user(id: string, text: string): ContextItem {
  return { ...ITEM, nodeIds: [nodeId(id)], message: messageOf('user', [{ type: 'text', text }]) };
}

export function tool(id: string, callId: string, text: string): ContextItem {
  return { ...ITEM, nodeIds: [nodeId(id)], message: messageOf('tool', [{ type: 'text', text }], callId) };
}

/** A reply from another provider, or one whose raw is gone. */
export function told(id: string, blocks: readonly ContentBlock[], answeredCalls: readonly string[] = []): ContextItem {
  return { ...ITEM, nodeIds: [nodeId(id)], message: messageOf('assistant', blocks), answeredCalls };
}

/** A reply that is sent back from its raw response. */
export function verbatim(id: string, chunks: readonly string[], change: Partial<ContextItem> = {}): ContextItem {
  const blocks = blocksOf(chunks);
  const calls = blocks.flatMap((block) => (block.type === 'tool-use' && 'id' in block ? [String(block.id)] : []));
  return {
    ...ITEM,
    nodeIds: [nodeId(id)],
    source: 'raw',
    reasoning: 'verbatim',
    message: messageOf('assistant', blocks),
    answeredCalls: calls,
    ...change,
  };
}

export function inputOf(
  deployment: Deployment,
  items: readonly ContextItem[],
  raws: Readonly<Record<string, RawResponse>> = {},
  change: Partial<RenderInput> = {},
): RenderInput {
  return {
    items,
    systemPrompt: null,
    tools: [],
    toolChoice: 'auto',
    thinking: 'medium',
    maxTokens: 1_000,
    stream: true,
    model: deployment.modelInfo(deployment.defaultModel),
    deployment,
    rawOf: (id) => raws[id],
    ...change,
  };
}

export const ARGUMENTS = '{ "city":"Köln" }';
export const CALL = streamOf(
  [{ reasoning_content: 'Look ' }, { reasoning_content: 'it up.' }, callDelta(0, 'call_1', 'weather', ARGUMENTS)],
  'tool_calls',
);
export const ANSWER = streamOf([{ reasoning_content: 'Easy.' }, { content: 'Rain.' }]);
export const FOREIGN_CALL = told(
  'f',
  [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool-use', id: 'toolu_01:weather/1', name: 'weather', parameters: { city: 'Bonn' } },
  ],
  ['toolu_01:weather/1'],
);
export const FOREIGN_RESULT = tool('r', 'toolu_01:weather/1', 'Sun.');

export function messagesOf(request: PreparedRequest): readonly Json[] {
  const body: { messages: readonly Json[] } = JSON.parse(request.body);
  return body.messages;
}

export function bodyOf(input: RenderInput): Json {
  return JSON.parse(prepare(input).body);
}

/** A question, a call, its result, an answer, and the next question. */
export const loop = (deployment: Deployment, more: Partial<RenderInput> = {}): RenderInput =>
  inputOf(
    deployment,
    [
      user('u', 'Weather?'),
      verbatim('a', CALL),
      tool('t', 'call_1', 'Rain.'),
      verbatim('b', ANSWER),
      user('v', 'And now?'),
    ],
    { a: rawOf(CALL, issuerOf(deployment)), b: rawOf(ANSWER, issuerOf(deployment)) },
    { tools: [TOOL], ...more },
  );
