import type {
  BranchId,
  Choice,
  Choices,
  FilesOtherwise,
  NewNode,
  NodeId,
  ProviderTool,
  RawResponse,
  ReplayBy,
  ThinkingSetting,
  ToolDefinition,
  TreeNode,
} from '@bough/core';
import { branchId, createNode, matchKeyOf, messageOfNode, nodeId, projectId } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { EnvelopeChange } from './actions.ts';
import { choose, PROVIDER_TOOL_LISTS, SYSTEM_PROMPTS, THINKING_SETTINGS, TOOL_LISTS } from './actions.ts';
import { KeptReasoning } from './kept-reasoning.ts';
import type { LeftOut } from './room.ts';
import { NOTHING_LEFT_OUT } from './room.ts';
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
  readonly providerTools: readonly ProviderTool[];
  readonly thinking: ThinkingSetting;
  readonly replayBy: ReplayBy;
  readonly keepTools: boolean;
  readonly filesOtherwise: FilesOtherwise;
  readonly choices: Choices;
  /** Replies that are summaries, oldest first. */
  readonly summaries: readonly NodeId[];
}

/** How often a history did what is rare. */
const NOTHING_DONE = {
  merges: 0,
  mergedSummaries: 0,
  mergedAgain: 0,
  mergesOfMerges: 0,
  mergesAcross: 0,
  canvasMerges: 0,
  canvasConflicts: 0,
  questions: 0,
};
export type Done = typeof NOTHING_DONE;

export interface BranchState {
  readonly id: BranchId;
  tip: NodeId | null;
  envelope: Envelope;
  /** The newest request of this branch, as long as nothing but talking has happened since. */
  lastBody: string | null;
  /** Containers that a request of this branch named and was refused for. */
  readonly goneContainers: Set<string>;
  /** What that request had no room for. */
  leftOut: LeftOut;
  /** Asks for a summary by the provider itself, instead of a reply. */
  summarise?: string;
}

function newBranch(id: BranchId, tip: NodeId | null, envelope: Envelope): BranchState {
  return { id, tip, envelope, lastBody: null, goneContainers: new Set(), leftOut: NOTHING_LEFT_OUT };
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
      providerTools: [],
      thinking: 'medium',
      replayBy: 'issuer',
      keepTools: false,
      filesOtherwise: 'text',
      choices: {},
      summaries: [],
    };
    this.#branches = [newBranch(branchId('b0'), null, this.#changed(start, first))];
  }

  readonly kept = new KeptReasoning();
  /** How many files were sent as files or as their text. */
  sentFiles = 0;
  /** How often a request was refused because its container was gone. */
  lostContainers = 0;
  /** How often turns had to be trimmed. */
  trims = 0;
  /** How many replies hold what a provider ran itself. */
  hosted = 0;

  readonly done: Done = { ...NOTHING_DONE };
  #markCount = 0;

  branch(number: number): BranchState {
    return choose(this.#branches, number);
  }

  get branches(): readonly BranchState[] {
    return this.#branches;
  }

  /** Words that occur nowhere else, by which a version of the canvas is found again. */
  newMark(): string {
    this.#markCount += 1;
    return `(v${this.#markCount})`;
  }

  path(branch: BranchState): readonly TreeNode[] {
    const path: TreeNode[] = [];
    for (let node = this.#find(branch.tip); node !== undefined; node = this.#find(node.parentId)) path.push(node);
    return path.reverse();
  }

  /** The path as requests are made from it: with its summary, if one counts, behind what that stands for. */
  summarised(branch: BranchState): {
    readonly path: readonly TreeNode[];
    readonly summary?: readonly TreeNode[];
    readonly earlierSummaries?: readonly (readonly TreeNode[])[];
  } {
    const path = this.path(branch);
    const known: { readonly at: number; readonly nodes: readonly TreeNode[] }[] = [];
    for (const id of branch.envelope.summaries) {
      const made = this.#find(id);
      const asked = this.#find(made?.parentId ?? null);
      if (made === undefined || asked === undefined) continue;
      known.push({ at: path.findIndex((node) => node.id === asked.parentId), nodes: [asked, made] });
    }
    const at = Math.max(-1, ...known.map((one) => one.at));
    const index = known.findLastIndex((one) => one.at === at);
    const nodes = known[index]?.nodes ?? [];
    if (at < 0 || path.some((node) => nodes.includes(node))) return { path };
    return {
      path: [...path.slice(0, at + 1), ...nodes, ...path.slice(at + 1)],
      summary: nodes,
      earlierSummaries: known.slice(0, index).map((one) => one.nodes),
    };
  }

  /** A branch that nobody sees, on which a summary is made. */
  beside(branch: BranchState, tip: NodeId): BranchState {
    return newBranch(branch.id, tip, branch.envelope);
  }

  compacted(branch: BranchState, summaries: readonly NodeId[]): void {
    branch.envelope = { ...branch.envelope, summaries };
    branch.lastBody = null;
    branch.leftOut = NOTHING_LEFT_OUT;
  }

  /** How many summaries were made. */
  summaries = 0;

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
    const id = branchId(`b${this.#branches.length}`);
    const forked = newBranch(id, tip, this.#changed(branch.envelope, change));
    this.#branches.push(forked);
    return forked;
  }

  /** `isTold`: the change is on the path, so that requests go on as they began. */
  change(branch: BranchState, change: EnvelopeChange, isTold = false): void {
    branch.envelope = this.#changed(branch.envelope, change);
    if (!isTold) branch.lastBody = null;
  }

  choose(branch: BranchState, { id }: TreeNode, choice: Choice | null): void {
    const { [id]: _, ...others } = branch.envelope.choices;
    branch.envelope = { ...branch.envelope, choices: choice === null ? others : { ...others, [id]: choice } };
    branch.lastBody = null;
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

  /** What ran in them is sent without them from now on, on every branch that holds it. */
  loseContainers(branch: BranchState, containers: readonly string[]): void {
    for (const id of containers) branch.goneContainers.add(id);
    this.lostContainers += 1;
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
      providerTools:
        change.providerTools === undefined ? envelope.providerTools : choose(PROVIDER_TOOL_LISTS, change.providerTools),
      thinking: change.thinking === undefined ? envelope.thinking : choose(THINKING_SETTINGS, change.thinking),
      replayBy: change.replayBy ?? envelope.replayBy,
      keepTools: change.keepTools ?? envelope.keepTools,
      filesOtherwise: change.filesOtherwise ?? envelope.filesOtherwise,
      choices: envelope.choices,
      summaries: envelope.summaries,
    };
  }
}
