import type { NodeId, ProjectId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import type { Store } from '../../store.ts';
import { withParent } from '../lines/line.ts';
import { branchFile, isRenderingOf, leafRef, rawFileOf, renderingDirectory, THINKING_FILE } from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { type PathText, pathTextOf, sliceText } from '../objects/path-text.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import { endOfNode, pathTree, secondsOf } from '../project/locate-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { ProjectState } from '../project/state.ts';
import type { Head } from '../tree/load.ts';
import type { IndexedNode } from '../tree/node-index.ts';
import { callsOf, directoryOf } from './turn-files.ts';

export function deleteNodeOperation(
  open: (id: ProjectId) => Promise<OpenProject>,
  cache: TurnCache,
): Pick<Store, 'deleteNode'> {
  return {
    deleteNode: async (id, node, mode) => {
      const project = await open(id);
      const summary = mode === 'cascade' ? 'Delete a subtree' : 'Delete a node';
      const result = await project.rewrite(summary, async (draft, state) => {
        const below = state.index.subtree(node);
        requireQuiet(state, below);
        const [top] = below;
        const removed = new Set((mode === 'cascade' ? below : below.slice(0, 1)).map((one) => one.id));
        const parent = top?.parentId ?? null;
        await draftHeads(project, draft, state, { node, parent, below, removed });
        draftPointers(draft, state, removed, parent);
        await draftRecords(project, draft, state, removed);
        draft.forgetsHistory = true;
        return { removed: [...removed] };
      });
      await cache.forget(id, result.removed);
      return result;
    },
  };
}

/** Neither a node of a running turn nor the node that its reply will be added to may vanish. */
function requireQuiet(state: ProjectState, below: readonly IndexedNode[]): void {
  const ids = new Set<NodeId | null>(below.map(({ id }) => id));
  for (const { turn } of state.openTurns.values()) {
    const branch = turn.branchId === null ? undefined : state.branches.get(turn.branchId);
    const tip = branch && state.heads.get(branch.ref)?.tip;
    if (below.some(({ turnId }) => turnId === turn.id) || (tip != null && ids.has(tip))) {
      throw new ConflictError('turn_running', `The turn ${turn.id} runs there. Wait for its end, or stop it.`, turn.id);
    }
  }
}

interface Removal {
  readonly node: NodeId;
  readonly parent: NodeId | null;
  readonly below: readonly IndexedNode[];
  readonly removed: ReadonlySet<NodeId>;
}

/** Moves every ref whose path holds a removed node: to the parent, or to a path without the node. */
async function draftHeads(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  { node, parent, below, removed }: Removal,
): Promise<void> {
  const around = { ...project, state, objects: draft.objects };
  const ids = new Set<NodeId | null>(below.map(({ id }) => id));
  const touched = [...state.heads.values()].filter(({ tip }) => ids.has(tip));
  let parentIsHeld = false;
  for (const head of touched) {
    const isLeaf = head.tip !== null && head.ref === leafRef(head.tip);
    if (head.tip !== null && !removed.has(head.tip)) {
      const to = await commitWithout(project, draft, state, head, node);
      draft.moves.push({ ref: head.ref, from: head.commit, to });
    } else if (isLeaf) {
      draft.moves.push({ ref: head.ref, from: head.commit, to: null });
    } else {
      const { commit } = await endOfNode(around, parent, head);
      draft.moves.push({ ref: head.ref, from: head.commit, to: commit });
      parentIsHeld = true;
    }
  }
  if (parent === null || parentIsHeld || below.some(({ id }) => !removed.has(id))) return;
  // The parent may have lost its only child: then it is a leaf itself, unless it is the tip of a branch.
  const others = state.index.children(parent).filter(({ id }) => !removed.has(id));
  const isTip = [...state.branches.values()].some(({ ref }) => state.heads.get(ref)?.tip === parent);
  if (others.length > 0 || isTip) return;
  draft.moves.unshift({ ref: leafRef(parent), from: null, to: (await endOfNode(around, parent, null)).commit });
}

/** A commit of the head's path without one node, on top of that node's parent: the node is no longer in any history. */
async function commitWithout(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  head: Head,
  gone: NodeId,
): Promise<string> {
  const { repository, texts } = project;
  const { objects } = draft;
  const { parentId } = state.index.get(gone);
  const base = await endOfNode({ ...project, state, objects }, parentId, null);
  const text = withoutLine(state, await texts.get(head.blob), gone);
  const tree = await pathTree(repository, objects, state, head.tree, objects.addText(text));
  const message = `Path up to the node ${head.tip ?? ''}, without a deleted one`;
  const commit = { tree, parents: [base.commit], message };
  return objects.add('commit', serializeCommit(commit, secondsOf(undefined)));
}

/** Every other line keeps its bytes; the line after it gets its new parent. */
function withoutLine(state: ProjectState, text: PathText, gone: NodeId): PathText {
  const { parentId } = state.index.get(gone);
  const lines = sliceText(text, 0, text.length).toString('utf8').split('\n');
  const kept = lines.flatMap((line) => {
    if (line.trim() === '') return [line];
    const parsed: unknown = JSON.parse(line);
    if (!isPlainObject(parsed)) return [line];
    if (parsed['id'] === gone) return [];
    const child = parsed['parent'] === gone;
    return [child ? withParent(state.project.id, parsed, parentId) : line];
  });
  return pathTextOf(Buffer.from(kept.join('\n')));
}

/** Fork points in the removed part move to its parent, as tips do. */
function draftPointers(
  draft: PlannedCommit,
  state: ProjectState,
  removed: ReadonlySet<NodeId>,
  parent: NodeId | null,
): void {
  for (const record of state.branches.values()) {
    if (record.forkedFromId === null || !removed.has(record.forkedFromId)) continue;
    draft.files.set(branchFile(record.id), writeJson({ ...record, forkedFromId: parent }));
  }
  const switches = [...state.includeThinking].filter(([id]) => !removed.has(id));
  if (switches.length < state.includeThinking.size)
    draft.files.set(THINKING_FILE, writeJson(Object.fromEntries(switches)));
}

/** Calls, raw responses and renderings of removed nodes are removed with them. */
async function draftRecords(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  removed: ReadonlySet<NodeId>,
): Promise<void> {
  const nodes = [...removed].map((id) => state.index.get(id));
  const turns = new Set(nodes.flatMap(({ turnId }) => turnId ?? []));
  for (const turn of turns) {
    for (const { call, file } of await callsOf(project, turn)) {
      if (file === null || call.nodeId === null || !removed.has(call.nodeId)) continue;
      draft.files.set(file, null);
      draft.files.set(rawFileOf(file), null);
    }
  }
  for (const { id, order } of nodes) {
    const directory = renderingDirectory(id, order);
    for (const name of (await directoryOf(project, directory)).keys()) {
      if (isRenderingOf(name, id)) draft.files.set(`${directory}/${name}`, null);
    }
  }
}
