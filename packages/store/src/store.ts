import type {
  Annotation,
  AnnotationChange,
  AnnotationQuery,
  Branch,
  BranchId,
  CachedTurn,
  Call,
  CallPurpose,
  Exchange,
  NodeId,
  Project,
  ProjectId,
  RawResponse,
  Rendering,
  TreeNode,
  Turn,
  TurnId,
  TurnStatus,
} from '@bough/core';
import type { BlobStore } from './blobs/index.ts';
import type { StoreError } from './errors.ts';
import type { ForeignDocument } from './foreign.ts';
import type { RemovalMode } from './removal.ts';
import type { SearchPage, SearchRequest } from './search/index.ts';
import type { ShelfDocument } from './shelf.ts';
import type { ModelSpending, SpendingQuery } from './spending.ts';
import type { TrashEntry, TrashQuery, TrashTicket } from './trash.ts';
import type { UpgradeReport } from './upgrade.ts';

/**
 * Where Bough keeps everything. Three back ends implement it; `contract/` defines in tests what each must do.
 *
 * What every method promises:
 * - A write that resolved is durable: it survives `kill -9` of this process at any later moment.
 * - A write is whole or not there at all.
 * - An id that names nothing is an `UnknownIdError`; a lost race is a `ConflictError`. Neither changes anything.
 * - A stored node is never overwritten, except for `includeThinkingInContext`.
 * - Ids, times and content are chosen by the caller; what is read equals what was written.
 * - A deletion with a ticket puts what it removes into the trash, in the same write; without one it is final.
 */
export interface Store {
  readonly kind: 'postgres' | 'git' | 'files';
  /** Finishes the work under way, then releases every file, connection and process. */
  readonly close: () => Promise<void>;
  /** Whether it can write now: promptly resolves, or rejects with the reason. Costs a write. */
  readonly check: () => Promise<void>;

  // Projects
  readonly createProject: (project: Project) => Promise<void>;
  /** All of them, in the order in which they were stored. */
  readonly listProjects: () => Promise<readonly Project[]>;
  /** A page of them, the last used first. */
  readonly findProjects: (query: ProjectQuery) => Promise<ProjectPage>;
  readonly getProject: (id: ProjectId) => Promise<Project>;
  /**
   * With `onlyIf`, nothing is changed where the project has another name by now: `ConflictError` with code
   * `project_changed`.
   */
  readonly updateProject: (id: ProjectId, patch: ProjectPatch, onlyIf?: Pick<Project, 'name'>) => Promise<Project>;
  /** Removes the project and everything in it. */
  readonly deleteProject: (id: ProjectId, trash?: TrashTicket) => Promise<void>;

  // Branches
  /** The name must be free in the project, otherwise `ConflictError` with code `name_taken`. */
  readonly createBranch: (branch: Branch) => Promise<void>;
  readonly listBranches: (project: ProjectId) => Promise<readonly Branch[]>;
  /** What is derived for each branch, by its id. */
  readonly branchFacts: (project: ProjectId) => Promise<Readonly<Record<BranchId, BranchFacts>>>;
  /** By id or by name. */
  readonly getBranch: (project: ProjectId, ref: string) => Promise<Branch>;
  readonly updateBranch: (project: ProjectId, branch: BranchId, patch: BranchPatch) => Promise<Branch>;
  /** Removes the pointer; the nodes stay. While a turn runs on the branch: `ConflictError` with code `turn_running`. */
  readonly deleteBranch: (project: ProjectId, branch: BranchId, trash?: TrashTicket) => Promise<void>;
  /** Compare and set: moves the tip only if it is still `expected`, otherwise `ConflictError` with code `tip_moved`. */
  readonly moveTip: (project: ProjectId, branch: BranchId, move: TipMove) => Promise<void>;

  // Nodes
  /** Finds a node, and with it its project, by the node's id alone. */
  readonly findNode: (node: NodeId) => Promise<TreeNode>;
  readonly getNodes: (project: ProjectId, nodes: readonly NodeId[]) => Promise<readonly TreeNode[]>;
  /**
   * The node with the first of these trails that any node has: the longest prefix of a client's history comes first. Of
   * several nodes with that trail, the one stored last. Null where there is none. One round trip, however many trails.
   */
  readonly findTrail: (trails: readonly string[], project?: ProjectId) => Promise<TreeNode | null>;
  /** From the root to the node, in one round trip. */
  readonly path: (project: ProjectId, node: NodeId) => Promise<readonly TreeNode[]>;
  /** In order of creation; `null` gives the roots. */
  readonly children: (project: ProjectId, node: NodeId | null) => Promise<readonly TreeNode[]>;
  /** The child with this match key, found without reading its siblings. */
  readonly findChild: (project: ProjectId, parent: NodeId | null, matchKey: string) => Promise<TreeNode | null>;
  /** Adds nodes, parents first, and moves the branch's tip along with them, all or nothing. */
  readonly appendNodes: (
    project: ProjectId,
    nodes: readonly TreeNode[],
    tip?: TipMove & { readonly branchId: BranchId },
  ) => Promise<void>;
  /**
   * `cascade` removes the subtree; `reparent` hands the children to the node's parent (`reparented.ts`). A branch whose
   * tip is removed moves to the node's parent. A turn goes with its last node. A subtree with a running turn is not
   * deleted: `ConflictError` with code `turn_running`.
   */
  readonly deleteNode: (
    project: ProjectId,
    node: NodeId,
    mode: RemovalMode,
    trash?: TrashTicket,
  ) => Promise<{ readonly removed: readonly NodeId[] }>;
  /** The same for every node of a turn at once; what follows the turn is handed to what comes before it. */
  readonly deleteTurn: (
    project: ProjectId,
    turn: TurnId,
    mode: RemovalMode,
    trash?: TrashTicket,
  ) => Promise<{ readonly removed: readonly NodeId[] }>;
  readonly setIncludeThinking: (project: ProjectId, node: NodeId, include: boolean) => Promise<TreeNode>;

  // Reading a conversation: each in one round trip, none of them touching raw
  /** `limit` turns of the path to `tip`, oldest first: the newest, or where the query says. */
  readonly history: (project: ProjectId, query: HistoryQuery) => Promise<HistoryPage>;
  /** Content-free topology. */
  readonly graph: (project: ProjectId) => Promise<Graph>;
  /**
   * Finds words in names, messages and their files, in all branches and where no branch leads, but not in the trash.
   * What matches is decided by `search` in core, for every back end alike.
   */
  readonly search: (request: SearchRequest) => Promise<SearchPage>;
  /**
   * Everything needed to build a request: the path, the raw responses of its replies, and the renderings whose keys
   * begin with the prefix. With a slot, the nodes up to the newest turn cached in it come as marks only, together with
   * the cached turns.
   */
  readonly readContext: (
    project: ProjectId,
    tip: NodeId,
    renderingKeyPrefix: string,
    slot?: string,
  ) => Promise<StoredContext>;

  // Turns
  /**
   * Admits a turn: stores it with its user node(s) and moves the tip, in one transaction. At most one turn runs on a
   * branch, otherwise `ConflictError` with code `turn_running` and the running turn's id. Repeating a `clientRequestId`
   * in the same project returns the turn of the first request and stores nothing.
   */
  readonly beginTurn: (begin: BeginTurn) => Promise<{ readonly turn: Turn; readonly repeated: boolean }>;
  readonly getTurn: (project: ProjectId, turn: TurnId) => Promise<Turn>;
  /** The turn that a client request began, or null: asked before anything is made for the request a second time. */
  readonly turnOfRequest: (project: ProjectId, clientRequestId: string) => Promise<Turn | null>;
  /** The nodes that carry the turn, parents first. */
  readonly nodesOfTurn: (project: ProjectId, turn: TurnId) => Promise<readonly TreeNode[]>;
  /** The turns of a project, or of all projects, that run or wait for an approval. */
  readonly openTurns: (project?: ProjectId) => Promise<readonly Turn[]>;
  /**
   * Stores a finished part of a running turn (nodes, calls with their raw, renderings, tip), or ends it when `status`
   * is set, which also removes the lease. The log stays until `dropLog`, so that watchers can read it to the end. Only
   * the owner may commit, otherwise `ConflictError` with code `not_owner`.
   */
  readonly commitTurn: (commit: TurnCommit) => Promise<void>;
  /** Keeps turns alive. Returns those that this owner still holds. */
  readonly renewLeases: (owner: string, turns: readonly TurnId[], leaseMs: number) => Promise<readonly TurnId[]>;
  /** Takes over turns whose lease ran out (their owner died) at least `graceMs` ago. */
  readonly claimExpiredTurns: (owner: string, leaseMs: number, graceMs?: number) => Promise<readonly Turn[]>;
  /** Turns that wait for an approval have no owner: a server claims one to resume it. */
  readonly claimTurn: (project: ProjectId, turn: TurnId, owner: string, leaseMs: number) => Promise<Turn>;
  readonly releaseTurn: (project: ProjectId, turn: TurnId, owner: string, status: 'awaiting_approval') => Promise<void>;
  /**
   * A turn that has ended runs again, because its client goes on with the results of its tools: nodes and calls stay,
   * and the old log is gone in the same write. Where it runs or waits itself, or another turn does on its branch:
   * `ConflictError` with code `turn_running` and the id of that turn. A branch that was deleted is an `UnknownIdError`.
   */
  readonly reopenTurn: (project: ProjectId, turn: TurnId, owner: string, leaseMs: number) => Promise<Turn>;

  // Calls and raw
  readonly callsOfTurn: (project: ProjectId, turn: TurnId) => Promise<readonly Call[]>;
  /** The raw response of the call that made a node, to the byte; null where none was kept. */
  readonly getRaw: (project: ProjectId, node: NodeId) => Promise<RawResponse | null>;
  /** For diagnostics: counts over all calls and nodes, grouped. */
  readonly statistics: (project?: ProjectId) => Promise<Statistics>;
  /**
   * What the calls used that `commitTurn` stored, by model. Kept beside the calls and with them: what is deleted was
   * paid for nevertheless, and what is imported was not paid for here. Its cost grows with days and models, not with
   * calls.
   */
  readonly spending: (query: SpendingQuery) => Promise<readonly ModelSpending[]>;

  // Stream log
  /**
   * Appends to the log of a running turn; resolves when durable. Group commit: calls that arrive meanwhile share the
   * next commit.
   */
  readonly appendLog: (project: ProjectId, turn: TurnId, entries: readonly LogEntry[]) => Promise<void>;
  /** Removes the log of a turn that has ended: its calls hold everything. Does nothing where there is no log. */
  readonly dropLog: (project: ProjectId, turn: TurnId) => Promise<void>;
  readonly readLog: (project: ProjectId, turn: TurnId, after: number, limit: number) => Promise<readonly LogEntry[]>;

  // Signals between the servers that share the store
  readonly publish: (signal: StoreSignal) => Promise<void>;
  readonly subscribe: (listener: (signal: StoreSignal) => void) => () => void;

  // Shelf: small documents that belong to no project
  /** In the order of their names. */
  readonly listDocuments: () => Promise<readonly ShelfDocument[]>;
  /** Null where there is none. */
  readonly getDocument: (name: string) => Promise<ShelfDocument | null>;
  /**
   * Compare and set: stores the value only if the document still has the version that the writer read, 0 where there
   * was none; otherwise `ConflictError` with code `document_changed`. Returns what is stored now.
   */
  readonly putDocument: (name: string, value: unknown, expected: number) => Promise<ShelfDocument>;

  // Annotations: what a person keeps beside a message. They go with it: into the trash, back, and away.
  /** The newest first. A project that is not there is an `UnknownIdError`; nodes that are not there have none. */
  readonly annotations: (query: AnnotationQuery) => Promise<readonly Annotation[]>;
  /** All of it or nothing. Beside a node that is not there nothing is kept: `UnknownIdError`. */
  readonly annotate: (project: ProjectId, change: AnnotationChange) => Promise<void>;

  // Trash
  /** The newest deletion first. Nothing else finds what lies here. */
  readonly listTrash: (query: TrashQuery) => Promise<readonly TrashEntry[]>;
  /**
   * Undoes a deletion: everything is stored again under its own id and in its old place, and the entry is gone. A tip
   * that has moved since stays where it is. A branch whose name is taken gets a free one. Where something took its
   * place: `ConflictError` with code `id_taken`; where what it belongs to is gone: `parent_gone`.
   */
  readonly restoreTrash: (id: string) => Promise<TrashEntry>;
  /** Deletes for good what the query finds, and returns it. An id that names nothing is an `UnknownIdError`. */
  readonly purgeTrash: (query: TrashQuery) => Promise<readonly TrashEntry[]>;

  // What other programs keep with a project and Bough has no place for
  /** In the order of their names. */
  readonly foreignDocuments: (project: ProjectId) => Promise<readonly ForeignDocument[]>;
  /** Replaces all of them, whole or not at all. */
  readonly replaceForeign: (project: ProjectId, documents: readonly ForeignDocument[]) => Promise<void>;

  // Files
  readonly blobs: BlobStore;

  // Moving and checking
  /** Every entity of a project, streamed, parents before children. */
  readonly exportProject: (project: ProjectId) => AsyncIterable<ProjectRecord>;
  /** Writes a whole project; none of it is visible before the last record is stored. */
  readonly importProject: (records: AsyncIterable<ProjectRecord>) => Promise<void>;
  /** What lies with a project in its place, is in no export, and would be lost with the project. */
  readonly notKept?: (project: ProjectId) => Promise<readonly string[]>;
  /** What cannot be read (files that were damaged), where the back end knows this without looking again. */
  readonly problems?: () => readonly StoreError[];
  /**
   * Brings data of older programs into today's form: messages that are stored differently, nodes from before turns
   * were. Whole or not at all; a second time there is nothing left to do. A dry run changes nothing.
   */
  readonly upgradeProject: (project: ProjectId, options: { readonly dryRun: boolean }) => Promise<UpgradeReport>;
  /** Stores again what is derived from the blocks of nodes, all or nothing; the blocks stay. For repairs only. */
  readonly rewriteDerived?: (project: ProjectId, nodes: readonly DerivedFields[]) => Promise<void>;
}

export interface ProjectQuery {
  /** A part of the name, taken literally, ignoring case. */
  readonly name?: string;
  /** The beginning of the id. */
  readonly id?: string;
  /** True: only archived projects. False: only the others. */
  readonly archived?: boolean;
  /** True: only pinned projects. False: only the others. */
  readonly pinned?: boolean;
  /** Only projects in this folder; null: only those in none. */
  readonly folder?: string | null;
  /** True: only projects into which the gateway recorded. */
  readonly recorded?: true;
  readonly offset: number;
  readonly limit: number;
}

export interface BranchFacts {
  /** When its tip was made, or the branch itself if that came later. */
  readonly lastUsedAt: string;
  /** The branch that the node it was forked from was made on, if that is known. It may have been deleted since. */
  readonly forkedOn: BranchId | null;
}

/**
 * A project with the last use of its branches (its own beginning where it has none), and whether the gateway recorded
 * what is in it.
 */
export type ListedProject = Project & { readonly lastUsedAt: string; readonly recorded: boolean };

export interface ProjectPage {
  readonly projects: readonly ListedProject[];
  /** How many the query finds, on all pages. */
  readonly total: number;
  /** The folders of all projects that are (or are not) archived, by name, whatever else the query asks for. */
  readonly folders: readonly ProjectFolder[];
}

export interface ProjectFolder {
  readonly name: string;
  /** How many projects in it are not pinned. */
  readonly unpinned: number;
}

/** Null takes a project out of its folder. */
export type ProjectPatch = Partial<Pick<Project, 'name' | 'description' | 'systemPrompt' | 'defaults' | 'archived'>> & {
  readonly pinned?: boolean;
  readonly folder?: string | null;
};
/**
 * The envelope is what a branch is locked to. Its thinking setting and tools may change between turns, provider and
 * model only until something was made under them.
 */
export type BranchPatch = Partial<
  Pick<Branch, 'name' | 'pinned' | 'hidden' | 'color' | 'replayBy' | 'keepToolsAfterBreak' | 'envelope'>
>;

export interface TipMove {
  readonly expected: NodeId | null;
  readonly next: NodeId | null;
}

/** What is derived from a node's blocks and its parent. */
export type DerivedFields = Pick<TreeNode, 'id' | 'content' | 'matchKey'>;

export interface HistoryQuery {
  readonly tip: NodeId;
  /** Only the part of the path before this node: the previous page. */
  readonly before?: NodeId;
  /** The oldest turns after this node, which ends a turn; null: the oldest of the path. */
  readonly after?: NodeId | null;
  /** The turns around this node, its own among them. At most one of the three is given. */
  readonly around?: NodeId;
  readonly limit: number;
}

export interface HistoryPage {
  /** The nodes of the page's turns, oldest first. */
  readonly nodes: readonly TreeNode[];
  readonly turns: readonly Turn[];
  /** Without their exchanges, which a page does not show. */
  readonly calls: readonly Call[];
  /** For every node of the page that has siblings: their ids in order of creation, itself included. */
  readonly siblings: Readonly<Record<NodeId, readonly NodeId[]>>;
  readonly hasMore: boolean;
  /** Whether the path goes on after the page. */
  readonly hasNewer: boolean;
}

export interface GraphNode {
  readonly id: NodeId;
  readonly parentId: NodeId | null;
  readonly turnId: TurnId | null;
  readonly role: TreeNode['role'];
  readonly createdOnBranch: BranchId | null;
  readonly isError: boolean;
  readonly interrupted: boolean;
  readonly modelUsed: string | null;
  readonly createdAt: string;
  /** Of a merge: the last node that it brought, on the branch that it came from. */
  readonly mergedUpTo?: NodeId;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly branches: readonly Branch[];
}

export interface StoredContext {
  /** The marks of every node of the path, from the root to the tip, as `marksOf` writes them. */
  readonly marks: string;
  /**
   * The turns of the path that are cached in the slot, in path order. The turn that ends at the tip is not among them:
   * a cached turn must be followed by something.
   */
  readonly cachedTurns: readonly CachedTurn[];
  /** The path after the newest cached turn; the whole path where there is none. */
  readonly nodes: readonly TreeNode[];
  /** Of these nodes. */
  readonly raws: ReadonlyMap<NodeId, RawResponse>;
  /** By node, then by key. */
  readonly renderings: ReadonlyMap<NodeId, ReadonlyMap<string, string>>;
}

export interface BeginTurn {
  readonly turn: Turn;
  readonly owner: string;
  readonly leaseMs: number;
  readonly clientRequestId?: string;
  /** New nodes to store with the turn: usually the user's message; none for a regeneration. */
  readonly nodes: readonly TreeNode[];
  /** As with `commitTurn`: what another program's request is rebuilt from. */
  readonly renderings?: readonly Rendering[];
  readonly tip?: TipMove & { readonly branchId: BranchId };
  /** A branch to create together with its first turn: as if `createBranch` came first, but both or nothing. */
  readonly newBranch?: Branch;
}

export interface TurnCommit {
  readonly projectId: ProjectId;
  readonly turnId: TurnId;
  readonly owner: string;
  readonly nodes: readonly TreeNode[];
  readonly calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[];
  readonly renderings: readonly Rendering[];
  /**
   * A cache: each entry replaces the one that its node had in its slot. A store may forget them, and failing to keep
   * one is not an error.
   */
  readonly cachedTurns?: readonly CachedTurn[];
  readonly tip?: TipMove & { readonly branchId: BranchId };
  /** The last entries of its log, which share the commit. A store may keep them where it refuses the rest. */
  readonly log?: readonly LogEntry[];
  /** Set to end the turn. */
  readonly status?: Exclude<TurnStatus, 'running' | 'awaiting_approval'>;
}

/** One line of a running turn's log. `seq` starts at 1 and has no gaps. */
export interface LogEntry {
  readonly seq: number;
  /**
   * What happened, as text: stream lines for clients, raw events, a step of the turn. The store does not interpret it.
   */
  readonly data: string;
}

export type StoreSignal =
  | { readonly type: 'progress'; readonly projectId: ProjectId; readonly turnId: TurnId; readonly seq: number }
  /** A server is showing this turn to somebody and wants to hear of its progress for a while. */
  | { readonly type: 'watching'; readonly projectId: ProjectId; readonly turnId: TurnId }
  | { readonly type: 'interrupt'; readonly projectId: ProjectId; readonly turnId: TurnId }
  /** With a turn: nothing changed but that this turn began or ended, with its nodes and its branch's tip. */
  | { readonly type: 'changed'; readonly projectId: ProjectId; readonly turnId?: TurnId };

export type ProjectRecord =
  | { readonly type: 'project'; readonly value: Project }
  | { readonly type: 'foreign'; readonly value: ForeignDocument }
  | { readonly type: 'branch'; readonly value: Branch }
  | { readonly type: 'turn'; readonly value: Turn }
  | { readonly type: 'node'; readonly value: TreeNode }
  | { readonly type: 'call'; readonly value: Call; readonly raw: RawResponse | null }
  | { readonly type: 'rendering'; readonly value: Rendering }
  | { readonly type: 'annotation'; readonly value: Annotation };

export interface Statistics {
  readonly availability: readonly {
    readonly provider: string;
    readonly model: string;
    readonly availability: string;
    readonly count: number;
  }[];
  readonly calls: readonly {
    readonly provider: string;
    readonly model: string;
    readonly status: string;
    readonly errorCode: string | null;
    /** What they were made for, if not for a reply. */
    readonly purpose: CallPurpose | null;
    readonly count: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
    readonly cost: number | null;
  }[];
  /** The calls that clients of the gateway made. */
  readonly recorded: readonly {
    /** The client's name, with its version if it says one. */
    readonly client: string;
    readonly provider: string;
    readonly model: string;
    readonly mode: Exchange['mode'];
    readonly count: number;
    /** How many of them left otherwise than they came. */
    readonly repaired: number;
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
    readonly cost: number | null;
  }[];
  /** Calls whose provider read less from its cache than it had been sent before, by why: see `cache-findings.ts`. */
  readonly cache: readonly {
    readonly provider: string;
    readonly model: string;
    /** In the provider's own word where it says one; else `expired` or `unexplained`. */
    readonly reason: string;
    readonly count: number;
    readonly missedTokens: number;
  }[];
  /** What was changed in them, and how the calls ended that were changed. */
  readonly repairs: readonly {
    readonly client: string;
    readonly provider: string;
    readonly rule: string;
    readonly status: string;
    readonly count: number;
  }[];
}
