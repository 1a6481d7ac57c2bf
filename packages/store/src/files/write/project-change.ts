import type { Annotation, BranchId, Call, NodeId, RawResponse, Rendering, TreeNode, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { TipMove } from '../../store.ts';
import type { NodeFile } from '../format/node-file.ts';
import type { BranchFile, TurnFile } from '../format/sidecars.ts';
import type { FileChange } from '../journal/index.ts';
import { nodeFileOf } from '../state/places.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { branchOf, entryOf, entryOfNode, turnOf } from '../state/project-state.ts';

/**
 * A change of one project in the making. Each step checks against the project as it will be; nothing is touched until
 * the whole change is written.
 */
export interface ProjectChange {
  readonly state: ProjectState;
  readonly added: Map<NodeId, AddedNode>;
  readonly files: Set<string>;
  /** Nodes that stay but get another parent. */
  readonly moved: Map<NodeId, NodeEntry>;
  readonly removed: Set<NodeId>;
  /** What changes inside the files of existing nodes. */
  readonly edits: Map<NodeId, (file: NodeFile) => NodeFile>;
  /** Null where the branch is removed; the same for turns. */
  readonly branches: Map<BranchId, BranchFile | null>;
  readonly turns: Map<TurnId, TurnFile | null>;
  readonly raws: Map<Call['id'], RawResponse | null>;
  readonly renderings: Map<NodeId, Map<string, string>>;
  /** All that is to be kept beside a node; nothing of a node is in `removed` and here. */
  readonly annotations: Map<NodeId, readonly Annotation[]>;
  readonly droppedLogs: Set<TurnId>;
  /** Files outside the project that change with it. */
  readonly besides: FileChange[];
  /** What else becomes true when the change is durable. */
  readonly afterwards: (() => void)[];
  /** Puts things back into their old places in the order of storage. */
  restores: boolean;
  nextOrder: number;
}

interface AddedNode {
  readonly node: TreeNode;
  readonly entry: NodeEntry;
  /** The file that it had before it was deleted, with whatever others wrote into it. */
  readonly file?: NodeFile;
}

export function createDraft(state: ProjectState): ProjectChange {
  const [problem] = state.problems;
  if (problem) throw problem;
  return {
    state,
    added: new Map(),
    files: new Set(),
    moved: new Map(),
    removed: new Set(),
    edits: new Map(),
    branches: new Map(),
    turns: new Map(),
    raws: new Map(),
    renderings: new Map(),
    annotations: new Map(),
    droppedLogs: new Set(),
    besides: [],
    afterwards: [],
    restores: false,
    nextOrder: state.nextOrder,
  };
}

/** Nothing to write: reading a project that Loom made must not make it Bough's. */
export function isEmpty(draft: ProjectChange): boolean {
  const parts = [
    draft.added,
    draft.removed,
    draft.edits,
    draft.branches,
    draft.turns,
    draft.raws,
    draft.renderings,
    draft.annotations,
    draft.droppedLogs,
  ];
  return draft.besides.length === 0 && parts.every(({ size }) => size === 0);
}

function requireNode(draft: ProjectChange, id: NodeId): void {
  if (draft.removed.has(id)) throw new UnknownIdError('node', id);
  if (!draft.added.has(id)) entryOf(draft.state, id);
}

export function draftBranch(draft: ProjectChange, id: BranchId): BranchFile {
  const drafted = draft.branches.get(id);
  if (drafted === null) throw new UnknownIdError('branch', id);
  return drafted ?? branchOf(draft.state, id);
}

export function draftTurn(draft: ProjectChange, id: TurnId): TurnFile {
  return draft.turns.get(id) ?? turnOf(draft.state, id);
}

export function addNodes(draft: ProjectChange, nodes: readonly TreeNode[]): void {
  const { state } = draft;
  for (const node of nodes) {
    if (draft.added.has(node.id) || state.nodes.has(node.id) || state.broken.has(node.id)) {
      throw new ConflictError('id_taken', `There already is a node with the id "${node.id}".`, node.id);
    }
    if (node.parentId !== null) requireNode(draft, node.parentId);
    if (node.turnId !== null) draftTurn(draft, node.turnId);
    const isTaken = (name: string): boolean => state.files.has(name) || draft.files.has(name);
    const file = nodeFileOf(state.directory, state.project.id, node.id, isTaken);
    draft.files.add(file);
    draft.added.set(node.id, { node, entry: entryOfNode(node, draft.nextOrder++, file) });
  }
}

export function moveTip(draft: ProjectChange, id: BranchId, move: TipMove): void {
  const file = draftBranch(draft, id);
  if (file.branch.tipId !== move.expected) {
    throw new ConflictError(
      'tip_moved',
      `The branch "${file.branch.name}" has moved meanwhile. Read it again and decide.`,
      file.branch.tipId,
    );
  }
  if (move.next !== null) requireNode(draft, move.next);
  draft.branches.set(id, { ...file, branch: { ...file.branch, tipId: move.next } });
}

export function addBranch(draft: ProjectChange, branch: BranchFile['branch']): void {
  const { state } = draft;
  if (state.branches.has(branch.id)) {
    throw new ConflictError('id_taken', `There already is a branch with the id "${branch.id}".`, branch.id);
  }
  requireFreeName(draft, branch.name, branch.id);
  if (branch.tipId !== null) requireNode(draft, branch.tipId);
  draft.branches.set(branch.id, { branch, order: draft.nextOrder++ });
}

export function changeBranch(draft: ProjectChange, id: BranchId, patch: Partial<BranchFile['branch']>): BranchFile {
  const file = draftBranch(draft, id);
  if (patch.name !== undefined) requireFreeName(draft, patch.name, id);
  const changed = { ...file, branch: { ...file.branch, ...patch } };
  draft.branches.set(id, changed);
  return changed;
}

function requireFreeName({ state }: ProjectChange, name: string, id: BranchId): void {
  for (const { branch } of state.branches.values()) {
    if (branch.name === name && branch.id !== id) {
      throw new ConflictError('name_taken', `There already is a branch named "${name}". Choose another name.`, name);
    }
  }
}

export function addCalls(
  draft: ProjectChange,
  turn: TurnFile,
  calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[],
): TurnFile {
  let stored = turn.calls;
  for (const { call, raw } of calls) {
    if (call.nodeId !== null) requireNode(draft, call.nodeId);
    const before = stored.find((other) => other.call.id === call.id);
    stored = [...stored.filter((other) => other !== before), { call, hasRaw: raw !== null }];
    if (raw || before?.hasRaw) draft.raws.set(call.id, raw);
  }
  const changed = { ...turn, calls: stored };
  draft.turns.set(turn.turn.id, changed);
  return changed;
}

export function addRenderings(draft: ProjectChange, renderings: readonly Rendering[]): void {
  for (const { nodeId, key, bytes } of renderings) {
    requireNode(draft, nodeId);
    const ofNode = draft.renderings.get(nodeId) ?? new Map<string, string>();
    draft.renderings.set(nodeId, ofNode.set(key, bytes));
  }
}
