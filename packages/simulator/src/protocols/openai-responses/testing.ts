import type { ContextItem, NodeId, RawEvent, RawResponse, ThinkingSetting } from '@bough/core';
import { isToolUseBlock, messageOf, nodeId } from '@bough/core';
import type { Deployment, PreparedRequest, RenderInput } from '@bough/providers';
import { deploymentKey, PROTOCOLS, simulatedDeployments } from '@bough/providers';
import type { Answer } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { responsesProtocol } from './index.ts';

// A small client for tests: it talks to this half as Bough does, with the real request builder and the real fold.

const PROTOCOL = PROTOCOLS['openai-responses'];

export function deploymentUnderTest(quirks: Deployment['quirks'] = {}): Deployment {
  const found = simulatedDeployments('http://127.0.0.1:1').find(({ protocol }) => protocol === 'openai-responses');
  if (found === undefined) throw new Error('There is no simulated deployment of openai-responses.');
  return { ...found, quirks };
}

export interface Settings {
  readonly model: string;
  readonly thinking?: ThinkingSetting;
  readonly stream?: boolean;
  readonly tools?: RenderInput['tools'];
  readonly deployment?: Deployment;
  readonly previousResponse?: RenderInput['previousResponse'];
}

export class Conversation {
  readonly items: ContextItem[] = [];
  readonly raws = new Map<NodeId, RawResponse>();
  readonly renderings = new Map<string, string>();
  readonly #world: World;
  #nodes = 0;

  constructor(world: World) {
    this.#world = world;
  }

  say(text: string): void {
    this.#add({ message: messageOf('user', [{ type: 'text', text }]) });
  }

  prepare(settings: Settings): PreparedRequest {
    const deployment = settings.deployment ?? deploymentUnderTest();
    return PROTOCOL.prepare({
      items: this.items,
      systemPrompt: 'Be kind.',
      tools: settings.tools ?? [],
      toolChoice: 'auto',
      thinking: settings.thinking ?? 'medium',
      maxTokens: 4000,
      stream: settings.stream ?? true,
      model: deployment.modelInfo(settings.model),
      deployment,
      rawOf: (id) => this.raws.get(id),
      renderingOf: (id, key) => this.renderings.get(`${id} ${key}`),
      previousResponse: settings.previousResponse,
    });
  }

  send(request: PreparedRequest): Answer {
    for (const { nodeId: id, key, bytes } of request.renderings) this.renderings.set(`${id} ${key}`, bytes);
    return ask(this.#world, JSON.parse(request.body));
  }

  /** Keeps the reply as a node, as far as it arrived, and answers its calls. */
  receive(answer: Answer, settings: Settings, events = Number.POSITIVE_INFINITY): NodeId {
    const deployment = settings.deployment ?? deploymentUnderTest();
    const received = answer.type === 'stream' ? answer.frames.map(eventOf).slice(0, events) : [];
    const raw: RawResponse = {
      provider: deployment.id,
      deployment: deploymentKey(deployment),
      model: settings.model,
      api: 'openai-responses',
      version: 1,
      capturedAt: '2026-11-15T00:00:00.000Z',
      complete: answer.type === 'body' || events >= answer.frames.length,
      payload: { events: received, response: answer.type === 'body' ? answer.body : null },
    };
    const blocks = PROTOCOL.toContentBlocks(raw);
    const calls = blocks.filter(isToolUseBlock).map(({ id }) => id);
    if (blocks.length === 0) return this.#nodeId();
    const id = this.#add({
      message: messageOf('assistant', blocks),
      source: 'raw',
      reasoning: 'verbatim',
      partial: !raw.complete,
      answeredCalls: calls,
    });
    this.raws.set(id, raw);
    for (const call of calls) this.#add({ message: messageOf('tool', [{ type: 'text', text: '42' }], call) });
    return id;
  }

  #add(item: Partial<ContextItem> & Pick<ContextItem, 'message'>): NodeId {
    const id = this.#nodeId();
    this.items.push({
      nodeIds: [id],
      source: 'canonical',
      reasoning: 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: false,
      ...item,
    });
    return id;
  }

  #nodeId(): NodeId {
    this.#nodes += 1;
    return nodeId(`node-${this.#nodes}`);
  }
}

export function ask(world: World, body: unknown, path = '/v1/responses'): Answer {
  const method = body === null ? 'GET' : 'POST';
  return responsesProtocol.answer({ method, path, query: new URLSearchParams(), headers: {}, body }, world);
}

export function eventOf(frame: string): RawEvent {
  const [first = '', second = ''] = frame.split('\n');
  return { event: first.slice('event: '.length), data: second.slice('data: '.length) };
}
