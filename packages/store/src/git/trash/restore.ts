import type { NodeId } from '@bough/core';
import { freeName, isPlainObject, nodeId } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import { nothingToReturnTo } from '../../trash.ts';
import { backUnder } from '../lines/line.ts';
import {
  branchFile,
  leafRef,
  NODE_TURNS_FILE,
  parseTurnDirectory,
  THINKING_FILE,
  turnDirectory,
} from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { pathTextOf, sliceText } from '../objects/path-text.ts';
import { draftBranch, freeRef } from '../operations/draft-branch.ts';
import { directoryOf } from '../operations/turn-files.ts';
import { endOfNode, pathTree, secondsOf } from '../project/locate-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import { planHeads, type TipChange } from '../project/plan-heads.ts';
import { headOf, type ProjectState } from '../project/state.ts';
import type { Head } from '../tree/load.ts';
import { keptFile, type Removed, trashDirectory } from './layout.ts';

/** Puts nodes, their records and what was moved back into a draft, after which the state is rebuilt. */
export async function restoreNodes(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  removed: Removed,
  id: string,
): Promise<void> {
  requirePlaces(state, removed);
  await restoreFiles(project, draft, state, removed, id);
  restoreForks(draft, state, removed);
  const tips = tipsToReturn(state, removed);
  const added = removed.nodes.map(({ node, order, line }) => ({ node, order, line: Buffer.from(line) }));
  const plan = await planHeads({ ...project, state, objects: draft.objects }, added, tips);
  const children = removed.children.filter((one) => state.index.find(one.id)?.parentId === one.to);
  // A node that gets children back is on their paths, and needs no ref of its own.
  const covered = new Set(children.map(({ from }) => leafRef(from)));
  draft.moves.push(...plan.moves.filter(({ ref, to }) => to === null || !covered.has(ref)));
  for (const head of state.heads.values()) {
    const path = head.tip === null ? [] : state.index.path(head.tip);
    const child = children.find((one) => path.some((node) => node.id === one.id));
    if (child === undefined) continue;
    const to = await commitWith(project, draft, state, head, { removed, children, above: child.to });
    draft.moves.push({ ref: head.ref, from: head.commit, to });
  }
}

function requirePlaces(state: ProjectState, { nodes }: Removed): void {
  const ids = new Set(nodes.map(({ node }) => node.id));
  for (const { node } of nodes) {
    if (state.index.find(node.id))
      throw new ConflictError('id_taken', `There already is a node with the id "${node.id}".`, node.id);
    const { parentId } = node;
    if (parentId !== null && !ids.has(parentId) && !state.index.find(parentId))
      throw nothingToReturnTo('node', parentId);
  }
}

async function restoreFiles(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  { files, stayed, includeThinking, nodeTurns }: Removed,
  id: string,
): Promise<void> {
  const kept = await directoryOf(project, trashDirectory(id));
  for (const [index, path] of files.entries()) {
    const blob = kept.get(keptFile(index))?.oid;
    if (blob === undefined) continue;
    const place = placeNow(state, path);
    if (!stayed.includes(path) || !place.exists) draft.files.set(place.path, { blob });
  }
  if (Object.keys(includeThinking).length > 0)
    draft.files.set(THINKING_FILE, writeJson({ ...Object.fromEntries(state.includeThinking), ...includeThinking }));
  if (Object.keys(nodeTurns).length > 0)
    draft.files.set(NODE_TURNS_FILE, writeJson({ ...Object.fromEntries(state.nodeTurns), ...nodeTurns }));
}

/** A file of a turn goes where the turn is. A request that was repeated meanwhile belongs to the turn that it began. */
function placeNow(state: ProjectState, path: string): { readonly path: string; readonly exists: boolean } {
  const [kind, , name = '', ...rest] = path.split('/');
  const place = kind === 'turns' ? parseTurnDirectory(name) : null;
  if (place === null) return { path, exists: false };
  const there = state.turns.get(place.key);
  const owner = place.request === null ? undefined : state.requests.get(place.request);
  const isTaken = owner !== undefined && owner.key !== place.key;
  const directory = turnDirectory(there ?? (isTaken ? { ...place, request: null } : place));
  return { path: [directory, ...rest].join('/'), exists: there !== undefined };
}

function restoreForks(draft: PlannedCommit, state: ProjectState, { pointers }: Removed): void {
  for (const { branchId, pointer, from, to } of pointers) {
    const record = state.branches.get(branchId);
    if (pointer !== 'fork' || record === undefined || record.forkedFromId !== to) continue;
    draft.files.set(branchFile(branchId), writeJson({ ...record, forkedFromId: from }));
  }
}

/** Tips that are still where the deletion put them; a running turn relies on its branch's. */
function tipsToReturn(state: ProjectState, { pointers }: Removed): readonly TipChange[] {
  const busy = new Set([...state.openTurns.values()].map(({ turn }) => turn.branchId));
  return pointers.flatMap(({ branchId, pointer, from, to }): TipChange[] => {
    const record = state.branches.get(branchId);
    if (pointer !== 'tip' || record === undefined || busy.has(branchId)) return [];
    const head = headOf(state, record.ref);
    return head.tip === to ? [{ ref: record.ref, head, next: from }] : [];
  });
}

interface Return {
  readonly removed: Removed;
  readonly children: Removed['children'];
  /** What stays above the restored nodes on this path. */
  readonly above: NodeId | null;
}

/** A commit of the head's path with the restored nodes in it again. */
async function commitWith(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  head: Head,
  { removed, children, above }: Return,
): Promise<string> {
  const { repository, texts } = project;
  const { objects } = draft;
  const base = await endOfNode({ ...project, state, objects }, above, null);
  const text = await texts.get(head.blob);
  const lines = sliceText(text, 0, text.length).toString('utf8').split('\n');
  const returned = lines.flatMap((line) => {
    const parsed: unknown = line.trim() === '' ? null : JSON.parse(line);
    if (!isPlainObject(parsed)) return [line];
    const child = children.find(({ id }) => id === parsed['id']);
    if (child === undefined) return [line];
    return [...linesUpTo(removed, child.from, child.to), backUnder(parsed, child)];
  });
  const blob = objects.addText(pathTextOf(Buffer.from(returned.join('\n'))));
  const tree = await pathTree(repository, objects, state, head.tree, blob);
  const message = `Path up to the node ${head.tip ?? ''}, with restored ones`;
  return objects.add('commit', serializeCommit({ tree, parents: [base.commit], message }, secondsOf(undefined)));
}

/** The lines of the removed nodes between what stays above them and one of them, oldest first. */
function linesUpTo({ nodes }: Removed, last: NodeId, above: NodeId | null): readonly string[] {
  const byId = new Map(nodes.map((one) => [one.node.id, one]));
  const lines: string[] = [];
  for (let id: NodeId | null = last; id !== null && id !== above;) {
    const one = byId.get(nodeId(id));
    if (one === undefined) break;
    lines.push(one.line);
    id = one.node.parentId;
  }
  return lines.reverse();
}

/** Returns the update of the state. */
export async function restoreBranch(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  { record, tip }: NonNullable<Removed['branch']>,
): Promise<readonly (() => void)[]> {
  if (state.branches.has(record.id))
    throw new ConflictError('id_taken', `There already is a branch with the id "${record.id}".`, record.id);
  if (tip !== null && !state.index.find(tip)) throw nothingToReturnTo('node', tip);
  const name = freeName(record.name, new Set([...state.branches.values()].map((other) => other.name)));
  const { forkedFromId } = record;
  const isForkThere = forkedFromId !== null && state.index.find(forkedFromId) !== undefined;
  const ref = freeRef(state, name);
  const after = { ...record, name, ref, forkedFromId: isForkThere ? forkedFromId : null };
  const plan = await planHeads({ ...project, state, objects: draft.objects }, [], [{ ref, head: null, next: tip }]);
  draft.moves.push(...plan.moves);
  return [plan.apply, draftBranch(draft, state, null, after)];
}
