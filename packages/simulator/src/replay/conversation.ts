import type { NewNode, NodeId, RawResponse, ReplayBy, ThinkingSetting, ToolDefinition, TreeNode } from '@bough/core';
import { createNode, matchKeyOf, messageOfNode, nodeId, projectId } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { EnvelopeChange } from './actions.ts';
import { choose, SYSTEM_PROMPTS, THINKING_SETTINGS, TOOL_LISTS } from './actions.ts';
import { KeptReasoning } from './kept-reasoning.ts';
import { everyOther, TurnCache } from './turn-cache.ts';

/** A model that a branch can be locked to. */
export interface Seat {
  readonly provider: Provider;
  readonly model: string;
}

export interface Envelope {
  readonly seat: Seat;
  readonly system: string | null;
  readonly tools: readonly ToolDefinition[];
  readonly thinking: ThinkingSetting;
  readonly replayBy: ReplayBy;
  readonly keepTools: boolean;
}

export interface BranchState {
  tip: NodeId | null;
  envelope: Envelope;
  /** The newest request of this branch, as long as nothing but talking has happened since. */
  lastBody: string | null;
}

type NodeParts = Omit<NewNode, 'id' | 'projectId' | 'parentId' | 'createdAt'>;

const PROJECT = projectId('replay');

/** The tree, its branches and what is stored with them. */
export class Conversation {
  readonly raws = new Map<NodeId, RawResponse>();
  readonly renderings = new Map<string, string>();
  readonly responseIds = new Map<NodeId, string>();
  /** One keeps every closed turn, the other only half of them: the requests are the same as without any. */
  readonly caches = [new TurnCache(), new TurnCache(everyOther)];
  readonly #seats: readonly Seat[];
  readonly #branches: BranchState[];
  readonly #nodes = new Map<NodeId, TreeNode>();
  #nodeCount = 0;

  constructor(seats: readonly Seat[], first: EnvelopeChange) {
    this.#seats = seats;
    const start: Envelope = {
      seat: choose(seats, 0),
      system: null,
      tools: [],
      thinking: 'medium',
      replayBy: 'issuer',
      keepTools: false,
    };
    this.#branches = [{ tip: null, envelope: this.#changed(start, first), lastBody: null }];
  }

  readonly kept = new KeptReasoning();

  branch(number: number): BranchState {
    return choose(this.#branches, number);
  }

  path(branch: BranchState): readonly TreeNode[] {
    const path: TreeNode[] = [];
    for (let node = this.#find(branch.tip); node !== undefined; node = this.#find(node.parentId)) path.push(node);
    return path.reverse();
  }

  pick(branch: BranchState, number: number, fits: (node: TreeNode) => boolean): TreeNode | null {
    const nodes = this.path(branch).filter(fits);
    return nodes.length === 0 ? null : choose(nodes, number);
  }

  append(branch: BranchState, parts: NodeParts): TreeNode {
    this.#nodeCount += 1;
    const node = createNode({
      ...parts,
      id: nodeId(`n${this.#nodeCount}`),
      projectId: PROJECT,
      parentId: branch.tip,
      createdAt: new Date(this.#nodeCount).toISOString(),
    });
    this.#nodes.set(node.id, node);
    branch.tip = node.id;
    return node;
  }

  fork(branch: BranchState, tip: NodeId | null, change: EnvelopeChange): BranchState {
    const forked = { tip, envelope: this.#changed(branch.envelope, change), lastBody: null };
    this.#branches.push(forked);
    return forked;
  }

  /** `isTold`: the change is on the path, so that requests go on as they began. */
  change(branch: BranchState, change: EnvelopeChange, isTold = false): void {
    branch.envelope = this.#changed(branch.envelope, change);
    if (!isTold) branch.lastBody = null;
  }

  toggleThinking(node: TreeNode): void {
    this.#nodes.set(node.id, { ...node, includeThinkingInContext: !node.includeThinkingInContext });
    this.#startAfresh();
  }

  forgetRaw(node: TreeNode): void {
    this.raws.delete(node.id);
    for (const cache of this.caches) cache.forget(node.id);
    this.#startAfresh();
  }

  remove(node: TreeNode): void {
    const { parentId } = node;
    this.#nodes.delete(node.id);
    for (const child of this.#nodes.values()) {
      if (child.parentId !== node.id) continue;
      this.#nodes.set(child.id, { ...child, parentId, matchKey: matchKeyOf(parentId, messageOfNode(child)) });
    }
    for (const branch of this.#branches) if (branch.tip === node.id) branch.tip = node.parentId;
    this.#startAfresh();
  }

  #find(id: NodeId | null): TreeNode | undefined {
    return id === null ? undefined : this.#nodes.get(id);
  }

  /** Any branch may hold what was changed, so none is expected to repeat its last request. */
  #startAfresh(): void {
    for (const branch of this.#branches) branch.lastBody = null;
  }

  #changed(envelope: Envelope, change: EnvelopeChange): Envelope {
    return {
      seat: change.target === undefined ? envelope.seat : choose(this.#seats, change.target),
      system: change.system === undefined ? envelope.system : choose(SYSTEM_PROMPTS, change.system),
      tools: change.tools === undefined ? envelope.tools : choose(TOOL_LISTS, change.tools),
      thinking: change.thinking === undefined ? envelope.thinking : choose(THINKING_SETTINGS, change.thinking),
      replayBy: change.replayBy ?? envelope.replayBy,
      keepTools: change.keepTools ?? envelope.keepTools,
    };
  }
}
