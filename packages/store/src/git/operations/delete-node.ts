import type { NodeId, ProjectId, TurnId } from '@bough/core';
import { isPlainObject, nodeId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { SearchIndex } from '../../on-disk/search-index/index.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import type { RemovalMode } from '../../removal.ts';
import { emptiedTurns, keptAbove } from '../../removal.ts';
import type { Store } from '../../store.ts';
import { draftUnusedBlobs } from '../blobs/project-blobs.ts';
import { withParent } from '../lines/line.ts';
import {
  annotationsFile,
  branchFile,
  isRenderingOf,
  leafRef,
  NODE_TURNS_FILE,
  rawFileOf,
  renderingDirectory,
  THINKING_FILE,
  turnDirectory,
  turnKey,
} from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { type PathText, pathTextOf, sliceText } from '../objects/path-text.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import { endOfNode, pathTree, secondsOf } from '../project/locate-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { ProjectState } from '../project/state.ts';
import type { Head } from '../tree/load.ts';
import type { IndexedNode } from '../tree/node-index.ts';
import type { TrashTicket } from '../../trash.ts';
import { keepNodes } from '../trash/keep.ts';
import { requireTurn } from './draft-nodes.ts';
import { callsOf, directoryOf } from './turn-files.ts';

export function deleteNodeOperation(
  open: (id: ProjectId) => Promise<OpenProject>,
  cache: Pick<TurnCache, 'forget'>,
  searchIndex: Pick<SearchIndex, 'forget'>,
): Pick<Store, 'deleteNode' | 'deleteTurn'> {
  const remove = async (
    id: ProjectId,
    summary: string,
    mode: RemovalMode,
    ticket: TrashTicket | undefined,
    doomed: (state: ProjectState) => Doomed,
  ): Promise<{ readonly removed: readonly NodeId[] }> => {
    const project = await open(id);
    const { removed, turns } = await project.rewrite(summary, async (draft, state) => {
      const { nodes, turn } = doomed(state);
      const removal = removalOf(state, nodes, mode);
      await draftHeads(project, draft, state, removal);
      draftPointers(draft, state, removal);
      const emptied = new Set(emptiedTurns(removal.removed, state.index.all()));
      if (turn !== null) emptied.add(turn);
      await draftRecords(project, draft, state, removal.removed);
      await draftTurns(project, draft, state, emptied);
      const { removed, above } = removal;
      if (ticket !== undefined) await keepNodes(project, draft, state, { ticket, removed, turn, above });
      else {
        const blobs = [...removed].flatMap((node) => state.index.get(node).blobs);
        await draftUnusedBlobs(project, draft, state, blobs, { nodes: removed });
      }
      draft.forgetsHistory = true;
      return { removed: [...removal.removed], turns: emptied };
    });
    for (const turn of turns) await project.logs.remove(turn);
    await cache.forget(id, removed);
    await searchIndex.forget(id, removed);
    return { removed };
  };
  return {
    deleteNode: (id, node, mode, ticket) =>
      remove(id, mode === 'cascade' ? 'Delete a subtree' : 'Delete a node', mode, ticket, () => ({
        nodes: [node],
        turn: null,
      })),
    deleteTurn: (id, turn, mode, ticket) =>
      remove(id, 'Delete a turn', mode, ticket, (state) => {
        requireTurn(state, turn);
        if (state.openTurns.has(turn)) throw turnRunning(turn);
        const nodes = state.index.all().filter(({ turnId }) => turnId === turn);
        return { nodes: nodes.map((node) => node.id), turn };
      }),
  };
}

interface Doomed {
  readonly nodes: readonly NodeId[];
  /** Removed with them; null where only nodes are named. */
  readonly turn: TurnId | null;
}

function removalOf(state: ProjectState, nodes: readonly NodeId[], mode: RemovalMode): Removal {
  const below = new Map(nodes.flatMap((node) => state.index.subtree(node)).map((node) => [node.id, node]));
  requireQuiet(state, [...below.values()]);
  const removed = new Set(mode === 'cascade' ? below.keys() : nodes);
  return {
    below: new Set(below.keys()),
    removed,
    above: (id) => keptAbove(id, removed, (node) => state.index.get(node).parentId),
  };
}

/** Neither a node of a running turn nor the node that its reply will be added to may vanish. */
function requireQuiet(state: ProjectState, below: readonly IndexedNode[]): void {
  const ids = new Set<NodeId | null>(below.map(({ id }) => id));
  for (const { turn } of state.openTurns.values()) {
    const branch = turn.branchId === null ? undefined : state.branches.get(turn.branchId);
    const tip = branch && state.heads.get(branch.ref)?.tip;
    if (below.some(({ turnId }) => turnId === turn.id) || (tip != null && ids.has(tip))) {
      throw turnRunning(turn.id);
    }
  }
}

function turnRunning(turn: TurnId): ConflictError {
  return new ConflictError('turn_running', `The turn ${turn} runs there. Wait for its end, or stop it.`, turn);
}

interface Removal {
  /** The removed nodes and everything below them. */
  readonly below: ReadonlySet<NodeId>;
  readonly removed: ReadonlySet<NodeId>;
  /** The nearest ancestor of a removed node that stays. */
  readonly above: (node: NodeId) => NodeId | null;
}

/** Moves every ref whose path holds a removed node: to what stays above it, or to a path without the node. */
async function draftHeads(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  removal: Removal,
): Promise<void> {
  const { below, removed, above } = removal;
  const around = { ...project, state, objects: draft.objects };
  const held = new Set<NodeId | null>();
  for (const head of state.heads.values()) {
    const { tip, ref, commit: from } = head;
    if (tip === null || !below.has(tip)) continue;
    if (!removed.has(tip)) {
      draft.moves.push({ ref, from, to: await commitWithout(project, draft, state, head, removal) });
    } else if (ref === leafRef(tip)) {
      draft.moves.push({ ref, from, to: null });
    } else {
      draft.moves.push({ ref, from, to: (await endOfNode(around, above(tip), head)).commit });
      held.add(above(tip));
    }
  }
  for (const record of state.branches.values()) held.add(state.heads.get(record.ref)?.tip ?? null);
  for (const parent of new Set([...removed].map(above))) {
    // It may have lost everything below it: then it is a leaf itself, unless it is the tip of a branch.
    if (parent === null || held.has(parent)) continue;
    if (state.index.subtree(parent).some(({ id }) => id !== parent && !removed.has(id))) continue;
    draft.moves.unshift({ ref: leafRef(parent), from: null, to: (await endOfNode(around, parent, null)).commit });
  }
}

/**
 * A commit of the head's path without the removed nodes, on top of what stays above the first of them: they are no
 * longer in any history.
 */
async function commitWithout(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  head: Head,
  { removed, above }: Removal,
): Promise<string> {
  const { repository, texts } = project;
  const { objects } = draft;
  const path = head.tip === null ? [] : state.index.path(head.tip);
  const first = path.find(({ id }) => removed.has(id));
  const base = await endOfNode({ ...project, state, objects }, first?.parentId ?? null, null);
  const text = withoutLines(state, await texts.get(head.blob), removed, above);
  const tree = await pathTree(repository, objects, state, head.tree, objects.addText(text));
  const message = `Path up to the node ${head.tip ?? ''}, without a deleted one`;
  const commit = { tree, parents: [base.commit], message };
  return objects.add('commit', serializeCommit(commit, secondsOf(undefined)));
}

/** Every other line keeps its bytes; a line below a removed one gets its new parent. */
function withoutLines(
  state: ProjectState,
  text: PathText,
  removed: ReadonlySet<unknown>,
  above: Removal['above'],
): PathText {
  const lines = sliceText(text, 0, text.length).toString('utf8').split('\n');
  const kept = lines.flatMap((line) => {
    if (line.trim() === '') return [line];
    const parsed: unknown = JSON.parse(line);
    if (!isPlainObject(parsed)) return [line];
    const { id, parent } = parsed;
    if (removed.has(id)) return [];
    const isBelow = typeof parent === 'string' && removed.has(parent);
    return [isBelow ? withParent(state.project.id, parsed, above(nodeId(parent))) : line];
  });
  return pathTextOf(Buffer.from(kept.join('\n')));
}

/** Fork points in the removed part move to what stays above it, as tips do. */
function draftPointers(draft: PlannedCommit, state: ProjectState, { removed, above }: Removal): void {
  for (const record of state.branches.values()) {
    if (record.forkedFromId === null || !removed.has(record.forkedFromId)) continue;
    draft.files.set(branchFile(record.id), writeJson({ ...record, forkedFromId: above(record.forkedFromId) }));
  }
  const switches = [...state.includeThinking].filter(([id]) => !removed.has(id));
  if (switches.length < state.includeThinking.size)
    draft.files.set(THINKING_FILE, writeJson(Object.fromEntries(switches)));
  const turns = [...state.nodeTurns].filter(([id]) => !removed.has(id));
  if (turns.length < state.nodeTurns.size) draft.files.set(NODE_TURNS_FILE, writeJson(Object.fromEntries(turns)));
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
  for (const { id } of nodes) if (state.annotations.has(id)) draft.files.set(annotationsFile(id), null);
  for (const { id, order } of nodes) {
    const directory = renderingDirectory(id, order);
    for (const name of (await directoryOf(project, directory)).keys()) {
      if (isRenderingOf(name, id)) draft.files.set(`${directory}/${name}`, null);
    }
  }
}

/** A turn without nodes has nothing left to say: its record goes, with calls that made no node. */
async function draftTurns(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  turns: ReadonlySet<TurnId>,
): Promise<void> {
  for (const turn of turns) {
    const place = state.turns.get(turnKey(turn));
    if (place === undefined) continue;
    const directory = turnDirectory(place);
    for (const name of (await directoryOf(project, directory)).keys()) draft.files.set(`${directory}/${name}`, null);
  }
}
