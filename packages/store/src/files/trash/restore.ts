import { join } from 'node:path';
import type { Branch, NodeId } from '@bough/core';
import { freeName } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { MovedPointer } from '../../trash.ts';
import { nothingToReturnTo } from '../../trash.ts';
import { parseNodeFile, readNodeFile, withPlace } from '../format/node-file.ts';
import { fieldsOf, parseJson } from '../format/fields.ts';
import { boughIdOf } from '../format/loom-form.ts';
import type { TurnFile } from '../format/sidecars.ts';
import { parseAnnotations, parseBranch, parseRaw, parseRenderings, parseTurn } from '../format/sidecars.ts';
import type { Base } from '../state/base.ts';
import { loomIdOf, nodeFileOf } from '../state/places.ts';
import { entryOfNode, idsOf, openTurnOn } from '../state/project-state.ts';
import type { ProjectChange } from '../write/project-change.ts';
import { draftBranch } from '../write/project-change.ts';
import type { Removed } from './keep.ts';

/** Puts everything that was removed back into a draft. `source` is the file that it was read from. */
export function restoreInto(base: Base, draft: ProjectChange, removed: Removed, source: string): void {
  draft.restores = true;
  restoreTurns(draft, removed, source);
  restoreNodes(base, draft, removed);
  for (const { call, text } of removed.raws) draft.raws.set(call, parseRaw(source, text));
  for (const { node, text } of removed.renderings)
    draft.renderings.set(node, new Map(parseRenderings(source, text).renderings));
  for (const { node, text } of removed.annotations ?? [])
    draft.annotations.set(node, parseAnnotations(source, text, draft.state.project.id).annotations);
  restoreChildren(draft, removed);
  for (const pointer of removed.pointers) restorePointer(draft, pointer);
  for (const text of removed.branches) restoreBranch(draft, text, source);
}

function restoreNodes(base: Base, draft: ProjectChange, { nodes }: Removed): void {
  const { state } = draft;
  // What was removed is not in the state any more: its files tell what they are called.
  const gone = new Map(
    nodes.flatMap(({ file, text }) => {
      const id = boughIdOf(fieldsOf(file, parseJson(file, text)).value);
      return id !== null ? [[loomIdOf(state.project.id, file), id]] : [];
    }),
  );
  const { toLoom, fromLoom } = idsOf(state);
  const names = { toLoom, fromLoom: (id: string): string => gone.get(id) ?? fromLoom(id) };
  const read = nodes.map(({ file, order, text }) => {
    const parsed = parseNodeFile(join(base.directory, file), text, names);
    const { node, order: number } = readNodeFile(file, parsed, state.project.id);
    return { file, order, parsed, node, isLooms: number === null };
  });
  const ids = new Set(read.map(({ node }) => node.id));
  for (const { file, order, parsed, node, isLooms } of read) {
    const { id, parentId } = node;
    if (state.nodes.has(id) || state.broken.has(id))
      throw new ConflictError('id_taken', `There already is a node with the id "${id}".`, id);
    if (parentId !== null && !ids.has(parentId) && !state.nodes.has(parentId))
      throw nothingToReturnTo('node', parentId);
    const isTaken = (name: string): boolean => state.files.has(name) || draft.files.has(name);
    const place = isTaken(file) ? nodeFileOf(state.directory, state.project.id, id, isTaken) : file;
    draft.files.add(place);
    draft.added.set(id, { node, entry: entryOfNode(node, order, place, isLooms), file: parsed });
    draft.nextOrder = Math.max(draft.nextOrder, order + 1);
  }
}

/** A turn that stayed gets the calls back that it lost, in their old places; one that went comes back with them. */
function restoreTurns(draft: ProjectChange, { turns, calls }: Removed, source: string): void {
  const { state } = draft;
  const returning = new Set(calls);
  for (const text of turns) {
    const kept = parseTurn(source, text, state.project.id);
    const there = state.turns.get(kept.turn.id);
    const now = new Map((there?.calls ?? []).map((one) => [one.call.id, one]));
    const old = kept.calls.filter(({ call }) => returning.has(call.id) || now.has(call.id));
    const oldIds = new Set(old.map(({ call }) => call.id));
    const merged = [
      ...old.map((one) => now.get(one.call.id) ?? one),
      ...[...now.values()].filter(({ call }) => !oldIds.has(call.id)),
    ];
    draft.turns.set(kept.turn.id, { ...(there ?? withFreeRequest(draft, kept)), calls: merged });
  }
}

/** A request that was repeated meanwhile belongs to the turn that it began then. */
function withFreeRequest({ state }: ProjectChange, file: TurnFile): TurnFile {
  const { clientRequestId } = file;
  const isTaken = clientRequestId !== null && state.clientRequests.has(clientRequestId);
  return isTaken ? { ...file, clientRequestId: null } : file;
}

function restoreChildren(draft: ProjectChange, { children }: Removed): void {
  const { state, moved, edits } = draft;
  for (const { id, from, to, matchKey } of children) {
    const entry = state.nodes.get(id);
    if (entry === undefined || entry.parentId !== to) continue;
    moved.set(id, { ...entry, parentId: from, matchKey });
    edits.set(id, (file) => withPlace(file, { projectId: state.project.id, parentId: from, matchKey }));
  }
}

function restorePointer(draft: ProjectChange, { branchId, pointer, from, to }: MovedPointer): void {
  const { state } = draft;
  if (!state.branches.has(branchId)) return;
  const file = draftBranch(draft, branchId);
  const field = pointer === 'tip' ? 'tipId' : 'forkedFromId';
  if (file.branch[field] !== to || (pointer === 'tip' && openTurnOn(state, branchId) !== null)) return;
  draft.branches.set(branchId, { ...file, branch: { ...file.branch, [field]: from } });
}

function restoreBranch(draft: ProjectChange, text: string, source: string): void {
  const { state } = draft;
  const { branch, order } = parseBranch(source, text, state.project.id);
  const { id, tipId, forkedFromId } = branch;
  if (state.branches.has(id)) throw new ConflictError('id_taken', `There already is a branch with the id "${id}".`, id);
  const isGone = (node: NodeId | null): node is NodeId => node !== null && !state.nodes.has(node);
  if (isGone(tipId)) throw nothingToReturnTo('node', tipId);
  const names = new Set([...state.branches.values()].map((other) => other.branch.name));
  const restored: Branch = {
    ...branch,
    name: freeName(branch.name, names),
    forkedFromId: isGone(forkedFromId) ? null : forkedFromId,
  };
  draft.branches.set(id, { branch: restored, order });
  draft.nextOrder = Math.max(draft.nextOrder, order + 1);
}
