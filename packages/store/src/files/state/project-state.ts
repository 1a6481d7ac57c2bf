import type { Annotation, BlobHash, BranchId, NodeId, Project, TreeNode, TurnId } from '@bough/core';
import { nodeId, UnknownIdError } from '@bough/core';
import type { StoreError } from '../../errors.ts';
import { malformed } from '../../on-disk/disk/index.ts';
import type { NodeSummary } from '../../on-disk/node-summary.ts';
import { summaryOf } from '../../on-disk/node-summary.ts';
import type { LogEntry } from '../../store.ts';
import type { LoomIds } from '../format/loom-form.ts';
import type { RootEntry } from '../format/roots.ts';
import type { BranchFile, TurnFile } from '../format/sidecars.ts';
import { loomIdOf } from './places.ts';

/**
 * A node without its content: what the tree, the graph, matching and counting need. The content is read from its file.
 */
export interface NodeEntry extends NodeSummary {
  readonly order: number;
  /** The file, relative to the store. */
  readonly file: string;
  /** Loom wrote it. */
  readonly isLooms: boolean;
}

export interface TurnLog {
  /** What is durable. */
  readonly entries: LogEntry[];
  /** The last number requested, durable or on its way. */
  lastSeq: number;
}

/**
 * The structure of a project in memory. Changed only once the change is durable, and then in one step: no reader ever
 * sees half of one.
 */
export interface ProjectState {
  project: Project;
  /** The directory, relative to the store. */
  readonly directory: string;
  /** The project has no files of Bough yet: Loom made it, and what Bough shows of it is derived. */
  adopted: boolean;
  /** The files of all nodes, including unreadable ones: a new node must not take their names. */
  readonly files: Set<string>;
  /** The files of other programs' documents. */
  readonly foreign: Set<string>;
  /** Its entry in the list of roots, as it was when it was read; missing where that list has forgotten it. */
  readonly root: RootEntry | undefined;
  /** Nodes by the id that Loom knows them by, where that is another one. */
  readonly loomIds: Map<string, NodeId>;
  /** In the order of storage. */
  readonly nodes: Map<NodeId, NodeEntry>;
  readonly children: Map<NodeId | null, NodeId[]>;
  /** The nodes with a trail, by it. */
  readonly trails: Map<string, Set<NodeId>>;
  /** The blobs that nodes refer to, with the number of those nodes. */
  readonly blobs: Map<BlobHash, number>;
  readonly branches: Map<BranchId, BranchFile>;
  readonly turns: Map<TurnId, TurnFile>;
  readonly logs: Map<TurnId, TurnLog>;
  /** The raw response of a node, by the file of the call that made it. */
  readonly rawFiles: Map<NodeId, string>;
  readonly renderingFiles: Map<NodeId, string>;
  /** What is kept beside nodes, without the bookmarks that are in Loom's configuration. */
  readonly annotations: Map<NodeId, readonly Annotation[]>;
  readonly clientRequests: Map<string, TurnId>;
  /** Nodes, branches and turns whose file cannot be read, keyed by the id that the file's name suggests. */
  readonly broken: Map<string, StoreError>;
  /**
   * Bough's own files that cannot be read. While there are any, nothing is written: which ids are free could only be
   * guessed.
   */
  readonly problems: StoreError[];
  nextOrder: number;
  /** The project is being removed: a line appended to a log now would outlive it. */
  leaving: boolean;
}

export function createState(project: Project, directory: string, root?: RootEntry): ProjectState {
  return {
    project,
    directory,
    adopted: false,
    files: new Set(),
    foreign: new Set(),
    root,
    loomIds: new Map(),
    nodes: new Map(),
    children: new Map(),
    trails: new Map(),
    blobs: new Map(),
    branches: new Map(),
    turns: new Map(),
    logs: new Map(),
    rawFiles: new Map(),
    renderingFiles: new Map(),
    annotations: new Map(),
    clientRequests: new Map(),
    broken: new Map(),
    problems: [],
    nextOrder: 1,
    leaving: false,
  };
}

export function entryOfNode(node: TreeNode, order: number, file: string, isLooms = false): NodeEntry {
  return { ...summaryOf(node), order, file, isLooms };
}

/** The entry of a node, or the reason why there is none. */
export function entryOf(state: ProjectState, id: NodeId): NodeEntry {
  const entry = state.nodes.get(id);
  if (entry) return entry;
  throw state.broken.get(id) ?? new UnknownIdError('node', id);
}

/** How ids are written in the project's files. `added` are nodes that are being stored. */
export function idsOf(state: ProjectState, added: ReadonlyMap<NodeId, { readonly entry: NodeEntry }> = NONE): LoomIds {
  const fileOf = (id: NodeId): string | undefined => (added.get(id)?.entry ?? state.nodes.get(id))?.file;
  return {
    toLoom: (id) => {
      const file = fileOf(nodeId(id));
      return file === undefined ? id : loomIdOf(state.project.id, file);
    },
    fromLoom: (id) => state.loomIds.get(id) ?? id,
  };
}

const NONE: ReadonlyMap<NodeId, { readonly entry: NodeEntry }> = new Map();

export function branchOf(state: ProjectState, id: BranchId): BranchFile {
  const found = state.branches.get(id);
  if (!found) throw state.broken.get(id) ?? new UnknownIdError('branch', id);
  return found;
}

export function turnOf(state: ProjectState, id: TurnId): TurnFile {
  const found = state.turns.get(id);
  if (!found) throw state.broken.get(id) ?? new UnknownIdError('turn', id);
  return found;
}

export function logOf(state: ProjectState, id: TurnId): TurnLog {
  let log = state.logs.get(id);
  if (!log) state.logs.set(id, (log = { entries: [], lastSeq: 0 }));
  return log;
}

export const childIdsOf = (state: ProjectState, id: NodeId | null): readonly NodeId[] => state.children.get(id) ?? [];

/** From the root to the node. */
export function pathOf(state: ProjectState, id: NodeId): NodeEntry[] {
  const path: NodeEntry[] = [];
  for (let current: NodeId | null = id; current !== null;) {
    const entry: NodeEntry = entryOf(state, current);
    // Only a file edited by hand can make a node its own ancestor; without this check, reading it would never end.
    if (path.length > state.nodes.size) throw malformed(entry.file, 'its parents lead back to itself.');
    path.push(entry);
    current = entry.parentId;
  }
  return path.reverse();
}

/** The node and everything below it, parents first. */
export function subtreeOf(state: ProjectState, id: NodeId): NodeId[] {
  // A set grows while it is iterated and takes nothing twice: a cycle of parents ends here too.
  const found = new Set([id]);
  for (const next of found) for (const child of childIdsOf(state, next)) found.add(child);
  return [...found];
}

/** Adds a node, or moves it. Among its siblings it keeps its place in the order of storage. */
export function placeNode(state: ProjectState, entry: NodeEntry): void {
  const before = state.nodes.get(entry.id);
  if (before) removeFromParent(state, before);
  countBlobs(state, before, -1);
  countBlobs(state, entry, 1);
  state.nodes.set(entry.id, entry);
  state.files.add(entry.file);
  const loomId = loomIdOf(state.project.id, entry.file);
  if (loomId !== entry.id) state.loomIds.set(loomId, entry.id);
  addTrail(state, entry);
  const siblings = state.children.get(entry.parentId);
  if (!siblings) state.children.set(entry.parentId, [entry.id]);
  else {
    let index = siblings.length;
    while (index > 0 && orderOf(state, siblings[index - 1]) > entry.order) index -= 1;
    siblings.splice(index, 0, entry.id);
  }
}

export function removeNode(state: ProjectState, id: NodeId): void {
  const entry = state.nodes.get(id);
  if (!entry) return;
  removeFromParent(state, entry);
  countBlobs(state, entry, -1);
  removeTrail(state, entry);
  state.nodes.delete(id);
  state.files.delete(entry.file);
  state.loomIds.delete(loomIdOf(state.project.id, entry.file));
  state.children.delete(id);
}

function addTrail({ trails }: ProjectState, { id, trail }: NodeEntry): void {
  if (trail === null) return;
  const there = trails.get(trail);
  if (there) there.add(id);
  else trails.set(trail, new Set([id]));
}

function removeTrail({ trails }: ProjectState, { id, trail }: NodeEntry): void {
  const there = trail === null ? undefined : trails.get(trail);
  there?.delete(id);
  if (trail !== null && there?.size === 0) trails.delete(trail);
}

function countBlobs({ blobs }: ProjectState, entry: NodeEntry | undefined, by: 1 | -1): void {
  for (const hash of entry?.blobs ?? []) {
    const count = (blobs.get(hash) ?? 0) + by;
    if (count > 0) blobs.set(hash, count);
    else blobs.delete(hash);
  }
}

function removeFromParent(state: ProjectState, entry: NodeEntry): void {
  const siblings = state.children.get(entry.parentId);
  const index = siblings?.indexOf(entry.id) ?? -1;
  if (siblings && index >= 0) siblings.splice(index, 1);
}

const orderOf = (state: ProjectState, id: NodeId | undefined): number =>
  (id === undefined ? undefined : state.nodes.get(id)?.order) ?? 0;

/** Updates what is looked up through a turn: the raw of its nodes, its client request. */
export function setTurn(state: ProjectState, file: TurnFile, rawFileOf: (call: string) => string): void {
  state.turns.set(file.turn.id, file);
  if (file.clientRequestId !== null) state.clientRequests.set(file.clientRequestId, file.turn.id);
  for (const { call, hasRaw } of file.calls) {
    if (hasRaw && call.nodeId !== null) state.rawFiles.set(call.nodeId, rawFileOf(call.id));
  }
}

/** The turn that holds a branch: running, or waiting for an approval. */
export function openTurnOn(state: ProjectState, branch: BranchId): TurnFile | null {
  for (const file of state.turns.values()) if (file.turn.branchId === branch && isOpen(file)) return file;
  return null;
}

export const isOpen = ({ turn }: TurnFile): boolean => turn.status === 'running' || turn.status === 'awaiting_approval';
