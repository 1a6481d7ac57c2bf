import type { NodeId, TurnId } from '@bough/core';
import type { HandedUp, MovedPointer, TrashEntry, TrashTicket } from '../../trash.ts';
import { titleOf } from '../../trash.ts';
import { TURN_FILE, turnDirectory, turnKey } from '../meta/layout.ts';
import { type BranchRecord, writeJson } from '../meta/records.ts';
import { sliceText } from '../objects/path-text.ts';
import { directoryOf } from '../operations/turn-files.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import { branchesInOrder, type ProjectState } from '../project/state.ts';
import { byStorage } from '../tree/node-index.ts';
import { ENTRY, keptFile, NOTHING, REMOVED, type Removed, trashDirectory } from './layout.ts';

export interface Doomed {
  readonly ticket: TrashTicket;
  readonly removed: ReadonlySet<NodeId>;
  /** Deleted as a whole; null where nodes are. */
  readonly turn: TurnId | null;
  readonly above: (node: NodeId) => NodeId | null;
}

/** Puts what a draft removes into the trash, with the same commit. The draft is complete. */
export async function keepNodes(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  { ticket, removed, turn, above }: Doomed,
): Promise<void> {
  const nodes = [...removed].map((id) => state.index.get(id));
  const inOrder = parentsFirst(state, removed);
  const full = await project.nodes.read(inOrder);
  const lines = await Promise.all(
    inOrder.map(async ({ file, start, end }) => sliceText(await project.texts.get(file.blob), start, end)),
  );
  const pointers = pointersTo(state, removed, above);
  const turns = new Set(nodes.flatMap(({ turnId }) => turnId ?? []));
  if (turn !== null) turns.add(turn);
  const files = await blobsOf(project, removedPaths(draft));
  const stayed = await blobsOf(
    project,
    [...turns].flatMap((id) => {
      const place = state.turns.get(turnKey(id));
      const path = place && `${turnDirectory(place)}/${TURN_FILE}`;
      return path === undefined || draft.files.get(path) === null ? [] : [path];
    }),
  );
  const removal: Removed = {
    ...NOTHING,
    nodes: full.map((node, at) => ({
      node,
      order: inOrder[at]?.order ?? 0,
      line: lines[at]?.toString('utf8') ?? '',
    })),
    files: [...files.keys(), ...stayed.keys()],
    stayed: [...stayed.keys()],
    includeThinking: Object.fromEntries([...state.includeThinking].filter(([id]) => removed.has(id))),
    nodeTurns: Object.fromEntries([...state.nodeTurns].filter(([id]) => removed.has(id))),
    pointers,
    children: handedUp(state, removed, above),
  };
  const first = full.find(({ id }) => id === nodes[0]?.id);
  const tips = pointers.filter(({ pointer }) => pointer === 'tip');
  file(draft, removal, [...files.values(), ...stayed.values()], {
    ...ticket,
    kind: turn === null ? 'node' : 'turn',
    projectId: state.project.id,
    projectName: state.project.name,
    title: titleOf(first?.content ?? ''),
    messages: nodes.length,
    branches: tips.map(({ branchId: id, from, to }) => ({ id, name: state.branches.get(id)?.name ?? '', from, to })),
  });
}

export function keepBranch(
  draft: PlannedCommit,
  state: ProjectState,
  ticket: TrashTicket,
  branch: { readonly record: BranchRecord; readonly tip: NodeId | null },
): void {
  file(draft, { ...NOTHING, branch }, [], {
    ...ticket,
    kind: 'branch',
    projectId: state.project.id,
    projectName: state.project.name,
    title: branch.record.name,
    messages: 0,
    branches: [],
  });
}

function file(draft: PlannedCommit, removed: Removed, blobs: readonly string[], entry: TrashEntry): void {
  const directory = trashDirectory(entry.id);
  draft.files.set(`${directory}/${ENTRY}`, writeJson(entry));
  draft.files.set(`${directory}/${REMOVED}`, writeJson(removed));
  for (const [index, blob] of blobs.entries()) draft.files.set(`${directory}/${keptFile(index)}`, { blob });
}

const removedPaths = ({ files }: PlannedCommit): readonly string[] =>
  [...files].flatMap(([path, content]) => (content === null ? [path] : []));

/** The blobs of those paths of `refs/bough/meta` that exist. */
async function blobsOf(project: OpenProject, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const blobs = new Map<string, string>();
  for (const path of paths) {
    const at = path.lastIndexOf('/');
    const entry = (await directoryOf(project, path.slice(0, at))).get(path.slice(at + 1));
    if (entry) blobs.set(path, entry.oid);
  }
  return blobs;
}

/** A parent can have a later place than its child: a deletion in between may have moved the child. */
function parentsFirst(state: ProjectState, removed: ReadonlySet<NodeId>) {
  const depth = (id: NodeId): number => state.index.path(id).length;
  return [...removed]
    .map((id) => ({ node: state.index.get(id), depth: depth(id) }))
    .sort((a, b) => a.depth - b.depth || byStorage(a.node, b.node))
    .map(({ node }) => node);
}

function pointersTo(
  state: ProjectState,
  removed: ReadonlySet<NodeId>,
  above: Doomed['above'],
): readonly MovedPointer[] {
  return branchesInOrder(state).flatMap(({ id: branchId, ref, forkedFromId }): MovedPointer[] => {
    const tip = state.heads.get(ref)?.tip ?? null;
    return [
      ...(tip !== null && removed.has(tip) ? [{ branchId, pointer: 'tip' as const, from: tip, to: above(tip) }] : []),
      ...(forkedFromId !== null && removed.has(forkedFromId)
        ? [{ branchId, pointer: 'fork' as const, from: forkedFromId, to: above(forkedFromId) }]
        : []),
    ];
  });
}

function handedUp(state: ProjectState, removed: ReadonlySet<NodeId>, above: Doomed['above']): readonly HandedUp[] {
  return [...removed].flatMap((from) =>
    state.index
      .children(from)
      .filter(({ id }) => !removed.has(id))
      .map(({ id, matchKey }) => ({ id, from, to: above(from), matchKey })),
  );
}
