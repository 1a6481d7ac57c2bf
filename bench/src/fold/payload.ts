import type { ProtocolId, ToolDefinition } from '@bough/core';
import { nodeId } from '@bough/core';
import type { PreparedRequest, Provider } from '@bough/providers';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Reply } from '@bough/simulator';
import { createWorld, SIMULATED_PROTOCOLS } from '@bough/simulator';
import { prose } from '../prose.ts';
import type { Outcome } from './outcome.ts';

/** One long reply of the simulator in the bytes of a protocol, and what it says. */
export interface Payload {
  readonly protocol: ProtocolId;
  readonly model: string;
  readonly request: PreparedRequest;
  /** As a network delivers them: chunk borders fall anywhere, even inside events and characters. */
  readonly chunks: readonly Uint8Array[];
  readonly megabytes: number;
  readonly events: number;
  readonly expected: Outcome;
  /** A provider whose network is `fetch`. */
  readonly provider: (fetch: typeof globalThis.fetch) => Provider;
}

export interface PayloadSize {
  readonly thinkingCharacters: number;
  readonly textCharacters: number;
  readonly calls: number;
}

const MODELS: Readonly<Record<ProtocolId, string>> = {
  'anthropic-messages': 'sim-thinker',
  'openai-responses': 'sim-summary',
  'openai-chat': 'sim-thinker',
  gemini: 'sim-summary',
};

const TOOL: ToolDefinition = {
  name: 'search_library',
  description: 'Searches the library.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, shelves: { type: 'array', items: { type: 'string' } } },
    required: ['query'],
  },
};

export function payloadOf(protocol: ProtocolId, size: PayloadSize): Payload {
  const deployment = simulatedDeployments('http://127.0.0.1:9').find((candidate) => candidate.protocol === protocol);
  if (deployment === undefined) throw new Error(`Nothing simulates ${protocol}.`);
  const provider = (fetch: typeof globalThis.fetch) => createProvider(deployment, { key: null, fetch });
  const model = MODELS[protocol];
  const planned = longReply(size);
  const { request, bytes, events } = streamOf(provider(globalThis.fetch), model, TOOL, planned);
  return {
    protocol,
    model,
    request,
    chunks: cut(bytes),
    megabytes: bytes.length / 1e6,
    events,
    expected: outcomeOf(planned),
    provider,
  };
}

/** What the simulator streams when it says exactly this, in the provider's protocol. */
export function streamOf(
  provider: Provider,
  model: string,
  tool: ToolDefinition,
  planned: Reply,
): { readonly request: PreparedRequest; readonly bytes: Uint8Array; readonly events: number } {
  const request = requestOf(provider, model, tool);
  const frames = framesOf(request, planned);
  return { request, bytes: new TextEncoder().encode(frames.join('')), events: frames.length };
}

function requestOf(provider: Provider, model: string, tool: ToolDefinition): PreparedRequest {
  return provider.prepare({
    items: [
      {
        nodeIds: [nodeId('question')],
        source: 'canonical',
        message: { role: 'user', content: [{ type: 'text', text: 'What does the library hold on bread?' }] },
        reasoning: 'omit',
        partial: false,
        answeredCalls: [],
        synthetic: false,
      },
    ],
    systemPrompt: 'You answer at length.',
    tools: [tool],
    toolChoice: 'auto',
    thinking: 'medium',
    maxTokens: 32_000,
    stream: true,
    model,
    rawOf: () => undefined,
  });
}

/** Thinking, then text, then calls: long enough that the start and the end of a reply do not matter. */
function longReply({ thinkingCharacters, textCharacters, calls }: PayloadSize): Reply {
  const shelves = Array.from({ length: 24 }, (_, at) => `shelf ${at} of the reading room`);
  return {
    parts: [
      { type: 'thinking', text: prose(thinkingCharacters) },
      { type: 'text', text: prose(textCharacters) },
      ...Array.from({ length: calls }, (_, at) => ({
        type: 'tool_call' as const,
        name: TOOL.name,
        parameters: { query: `bread, volume ${at}`, shelves },
      })),
    ],
    stop: 'tool_use',
  };
}

function framesOf(request: PreparedRequest, planned: Reply): readonly string[] {
  const url = new URL(request.url);
  const received = {
    method: 'POST',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: JSON.parse(request.body) as unknown,
  };
  const protocol = SIMULATED_PROTOCOLS.find((candidate) => candidate.accepts(received));
  const world = createWorld({ seed: 'bench', plan: () => planned, note: () => undefined, now: () => 0 });
  const answer = protocol?.answer(received, world);
  if (answer?.type !== 'stream') throw new Error(`The simulator did not stream: ${answer?.body ?? 'nobody answers'}`);
  return answer.frames;
}

function outcomeOf({ parts }: Reply): Outcome {
  const outcome = { thinking: '', text: '', calls: [] as Outcome['calls'][number][] };
  for (const part of parts) {
    if (part.type === 'thinking') outcome.thinking += part.text;
    if (part.type === 'text') outcome.text += part.text;
    if (part.type === 'tool_call') outcome.calls.push({ name: part.name, parameters: part.parameters });
  }
  return outcome;
}

/** Pieces between one small packet and a few of them, always the same. */
function cut(bytes: Uint8Array): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let state = 1;
  for (let at = 0; at < bytes.length;) {
    state = (state * 48_271) % 0x7fff_ffff;
    const end = Math.min(bytes.length, at + 200 + (state % 2_800));
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}
