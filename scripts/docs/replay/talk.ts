import type { ContentBlock, NodeId, RawResponse, ToolDefinition, TreeNode } from '@bough/core';
import { createNode, isToolUseBlock, nodeId, projectId } from '@bough/core';
import type { CallTarget, Deployment, PreparedCall } from '@bough/providers';
import {
  buildContentBlocksForProvider,
  BUILT_IN_DEPLOYMENTS,
  createProvider,
  prepareCall,
  simulatedDeployments,
} from '@bough/providers';
import type { Simulator } from '@bough/simulator';

export const CLOCK: ToolDefinition = {
  name: 'clock',
  description: 'Tells the time.',
  inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
};

/** A built-in deployment, unchanged except for the simulator's address and the quirks that an example is about. */
export function target(
  simulator: Simulator,
  provider: string,
  model: string,
  { quirks, ...change }: Partial<CallTarget> & Partial<Pick<Deployment, 'quirks'>> = {},
): CallTarget {
  const own = simulatedDeployments(simulator.url);
  const vendors = BUILT_IN_DEPLOYMENTS.map((vendor) => ({ ...vendor, baseUrl: `${simulator.url}${pathOf(vendor)}` }));
  const deployment = [...own, ...vendors].find(({ id }) => id === provider);
  if (deployment === undefined) throw new Error(`There is no deployment ${provider}.`);
  const configured = { ...deployment, quirks: { ...deployment.quirks, ...quirks } };
  return {
    provider: createProvider(configured, { key: 'simulated', retries: 0 }),
    model,
    systemPrompt: null,
    tools: [],
    thinking: 'medium',
    maxTokens: 4_000,
    ...change,
  };
}

function pathOf({ id, protocol }: Deployment): string {
  switch (protocol) {
    case 'anthropic-messages':
    case 'gemini':
      return '';
    case 'openai-responses':
      return '/v1';
    case 'openai-chat':
      return `/${id}/v1`;
  }
}

/** What the simulator refused, or accepted while ignoring a part. */
export class Refused extends Error {}

/** A conversation that is held with the simulator over HTTP, request by request. */
export class Talk {
  readonly path: TreeNode[] = [];
  readonly raws = new Map<NodeId, RawResponse>();
  readonly #renderings = new Map<string, string>();
  readonly #responseIds = new Map<NodeId, string>();
  readonly #simulator: Simulator;

  constructor(simulator: Simulator) {
    this.#simulator = simulator;
  }

  /** The same past with a different future: what an edit or a fork starts from. */
  upTo(length: number): Talk {
    const copy = new Talk(this.#simulator);
    copy.path.push(...this.path.slice(0, length));
    for (const [id, raw] of this.raws) copy.raws.set(id, raw);
    for (const [key, bytes] of this.#renderings) copy.#renderings.set(key, bytes);
    return copy;
  }

  ask(text: string): this {
    this.append('user', [{ type: 'text', text }]);
    return this;
  }

  /** Instructions, or other tools, from here on. */
  instruct(block: ContentBlock): this {
    this.append('system', [block]);
    return this;
  }

  /** The request that would be sent now. */
  prepare(to: CallTarget): PreparedCall {
    const prepared = prepareCall(this.path, to, {
      rawOf: (id) => this.raws.get(id),
      renderingOf: (id, key) => this.#renderings.get(`${id} ${key}`),
      previousResponse: this.#previousResponse(),
    });
    for (const { nodeId: id, key, bytes } of prepared.request.renderings) this.#renderings.set(`${id} ${key}`, bytes);
    return prepared;
  }

  /**
   * Sends it, and stores the reply as the engine does. A request that the simulator refuses or partly ignores is an
   * error.
   */
  async reply(to: CallTarget, fault?: string): Promise<PreparedCall> {
    const prepared = this.prepare(to);
    this.#simulator.clearLog();
    if (fault !== undefined) this.#simulator.orderFault(fault);
    const reply = to.provider.send(prepared.request, { signal: new AbortController().signal });
    let broken = false;
    let responseId: string | undefined;
    for await (const { events } of reply.batches) {
      for (const event of events) {
        broken ||= event.type === 'error';
        if (event.type === 'start') responseId = event.responseId ?? responseId;
      }
    }
    const trouble = this.#simulator.log().find(({ kind }) => kind === 'rejected' || kind === 'silent_drop');
    if (trouble !== undefined) throw new Refused(trouble.detail);
    const raw = reply.raw();
    const node = this.append('assistant', buildContentBlocksForProvider(raw), {
      provider: to.provider.deployment.id,
      modelUsed: to.model,
      madeWith: prepared.context.madeWith,
      interrupted: broken,
    });
    this.raws.set(node.id, raw);
    if (responseId !== undefined) this.#responseIds.set(node.id, responseId);
    return prepared;
  }

  /** What a deployment that stores its responses may continue from. */
  #previousResponse(): { readonly id: string; readonly nodeId: NodeId } | undefined {
    const node = this.path.findLast(({ role }) => role === 'assistant');
    const id = node && this.#responseIds.get(node.id);
    return node === undefined || id === undefined ? undefined : { id, nodeId: node.id };
  }

  /** Answers every call of the newest reply. */
  runTools(result: string): this {
    for (const { id } of (this.path.at(-1)?.contentBlocks ?? []).filter(isToolUseBlock))
      this.append('tool', [{ type: 'text', text: result }], { toolCallId: id });
    return this;
  }

  last(): { readonly node: TreeNode; readonly raw: RawResponse } {
    const node = this.path.findLast(({ role }) => role === 'assistant');
    const raw = node && this.raws.get(node.id);
    if (node === undefined || raw === undefined) throw new Error('There is no reply yet.');
    return { node, raw };
  }

  /** The newest reply as if a person had chosen to include its thinking. */
  includeThinking(): this {
    const { node } = this.last();
    this.path[this.path.indexOf(node)] = { ...node, includeThinkingInContext: true };
    return this;
  }

  append(role: TreeNode['role'], contentBlocks: readonly ContentBlock[], rest: Partial<TreeNode> = {}): TreeNode {
    const node = createNode({
      ...rest,
      id: nodeId(`n${this.path.length + 1}`),
      projectId: projectId('p1'),
      parentId: this.path.at(-1)?.id ?? null,
      role,
      contentBlocks,
      createdAt: `2026-11-15T12:00:${String(this.path.length).padStart(2, '0')}.000Z`,
    });
    this.path.push(node);
    return node;
  }
}
