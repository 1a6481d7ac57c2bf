import type {
  ContentBlock,
  ContextItem,
  NodeId,
  RawEvent,
  RawResponse,
  StreamEvent,
  ToolDefinition,
} from '@bough/core';
import { foldToBlocks, isPlainObject, isToolUseBlock, messageOf, nodeId, rawPayload } from '@bough/core';
import type { Deployment, ModelInfo, PreparedRequest } from '@bough/providers';
import { PROTOCOLS } from '@bough/providers';
import type { Answer, SimulatedRequest } from '../../simulated-protocol.ts';
import { planReply } from '../../plan/index.ts';
import type { World } from '../../world.ts';
import { createWorld } from '../../world/index.ts';
import { chatProtocol } from './index.ts';
import type { Json } from './request.ts';
import { vendorOf } from './vendors.ts';

// A client of this half, with no network in between. Only for tests.

export type Note = Parameters<World['note']>[0];

export const TOOL: ToolDefinition = {
  name: 'calculator',
  description: 'Computes an expression.',
  inputSchema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

export const WIRE_TOOLS = [
  { type: 'function', function: { name: 'calculator', description: '', parameters: TOOL.inputSchema } },
];

export const request = (path: string, body: unknown, method = 'POST'): SimulatedRequest => ({
  method,
  path,
  query: new URLSearchParams(),
  headers: {},
  body,
});

const PATHS: Readonly<Record<string, string>> = {
  groq: '/groq/openai/v1',
  openrouter: '/openrouter/api/v1',
  generic: '/v1',
};
export const pathOf = (vendor: string): string => `${PATHS[vendor] ?? `/${vendor}/v1`}/chat/completions`;

/** One simulator, as a client sees it. */
export class Desk {
  readonly notes: Note[] = [];
  readonly world: World = createWorld({
    seed: 'test',
    plan: planReply,
    note: (entry) => this.notes.push(entry),
    now: () => 1_763_200_000_000,
  });

  ask(vendor: string, body: unknown): Answer {
    return chatProtocol.answer(request(pathOf(vendor), body), this.world);
  }

  /** The message of a reply that was not streamed. */
  message(vendor: string, body: Json): Json {
    const answer = this.ask(vendor, body);
    const json: unknown = answer.type === 'body' && answer.status === 200 ? JSON.parse(answer.body) : null;
    const choices = isPlainObject(json) ? json['choices'] : null;
    const choice: unknown = Array.isArray(choices) ? choices[0] : null;
    if (!isPlainObject(choice) || !isPlainObject(choice['message'])) throw new Error(JSON.stringify(answer));
    return choice['message'];
  }
}

/** The data of the frames, without comments. */
export function dataOf(answer: Answer): readonly string[] {
  if (answer.type !== 'stream') throw new Error(`not a stream: ${answer.body}`);
  return answer.frames.flatMap((frame) => (frame.startsWith('data: ') ? [frame.slice(6).trimEnd()] : []));
}

/** A conversation of Bough's own with a vendor: rendered by its builder, answered by the half, read by its fold. */
export class Conversation {
  readonly items: ContextItem[] = [];
  readonly #raws = new Map<NodeId, RawResponse>();
  readonly #desk: Desk;
  readonly #vendor: string;
  readonly #deployment: Deployment;
  readonly #model: ModelInfo;

  constructor(desk: Desk, vendor: string, model: string) {
    this.#desk = desk;
    this.#vendor = vendor;
    this.#deployment = vendorOf(pathOf(vendor)).deployment;
    this.#model = this.#deployment.modelInfo(model);
  }

  user(text: string): void {
    this.#add('canonical', 'user', [{ type: 'text', text }]);
  }

  prepare(): PreparedRequest {
    return PROTOCOLS['openai-chat'].prepare({
      items: this.items,
      systemPrompt: 'Be brief.',
      tools: [TOOL],
      toolChoice: 'auto',
      thinking: 'medium',
      maxTokens: 1_000,
      stream: true,
      deployment: this.#deployment,
      model: this.#model,
      rawOf: (id) => this.#raws.get(id),
    });
  }

  /** Sends what there is, keeps the reply, and answers its tool calls. Returns the blocks of the reply. */
  reply(prepared = this.prepare()): readonly ContentBlock[] {
    const events = dataOf(this.#desk.ask(this.#vendor, JSON.parse(prepared.body))).map((data): RawEvent => ({ data }));
    const fold = PROTOCOLS['openai-chat'].createFold(prepared.issuer);
    const read: StreamEvent[] = [...events.flatMap((event) => fold.push(event)), ...fold.end({ type: 'closed' })];
    const blocks = foldToBlocks(read);
    const calls = blocks.filter(isToolUseBlock);
    const id = this.#add(
      'raw',
      'assistant',
      blocks,
      calls.map((call) => call.id),
    );
    this.#raws.set(id, {
      ...prepared.issuer,
      api: 'openai-chat',
      version: 1,
      capturedAt: '2026-11-15T00:00:00.000Z',
      complete: true,
      payload: rawPayload('openai-chat', events),
    });
    for (const call of calls) this.#add('canonical', 'tool', [{ type: 'text', text: '42' }], [], call.id);
    return blocks;
  }

  #add(
    source: ContextItem['source'],
    role: 'user' | 'assistant' | 'tool',
    blocks: readonly ContentBlock[],
    answeredCalls: readonly string[] = [],
    callId?: string,
  ): NodeId {
    const id = nodeId(`n${this.items.length}`);
    this.items.push({
      nodeIds: [id],
      source,
      message: messageOf(role, blocks, callId),
      reasoning: source === 'raw' ? 'verbatim' : 'omit',
      partial: false,
      answeredCalls,
      synthetic: false,
    });
    return id;
  }
}
