import type { BranchId, NodeId, ProjectId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { ConflictError } from './errors.ts';

/** For how long what was deleted can be restored. */
export const TRASH_DAYS = 30;

/** What a deletion that can be undone is filed under. The caller chooses both, as it does for everything stored. */
export interface TrashTicket {
  readonly id: string;
  readonly deletedAt: string;
}

const TRASH_KINDS = ['node', 'turn', 'branch', 'project'] as const;

/** A deletion that can be undone. */
export interface TrashEntry extends TrashTicket {
  readonly kind: (typeof TRASH_KINDS)[number];
  readonly projectId: ProjectId;
  /** The project's name at that time: by now it may lie in the trash itself. */
  readonly projectName: string;
  /** For people: the beginning of the first message that was removed, or the name of the branch or project. */
  readonly title: string;
  /** How many nodes were removed. Deleting a branch removes none. */
  readonly messages: number;
  /** The branches whose tips were moved because theirs was removed. */
  readonly branches: readonly MovedTip[];
}

export interface MovedTip {
  readonly id: BranchId;
  readonly name: string;
  readonly from: NodeId | null;
  readonly to: NodeId | null;
}

/** Whether a file holds an entry: one that was edited by hand, or restored by halves, is noticed where it is read. */
export function isTrashEntry(value: unknown): value is TrashEntry {
  if (!isPlainObject(value)) return false;
  const { kind, messages, branches } = value;
  return (
    ['id', 'deletedAt', 'projectId', 'projectName', 'title'].every((key) => typeof value[key] === 'string') &&
    TRASH_KINDS.some((known) => known === kind) &&
    typeof messages === 'number' &&
    Array.isArray(branches) &&
    branches.every(isMovedTip)
  );
}

function isMovedTip(value: unknown): value is MovedTip {
  if (!isPlainObject(value)) return false;
  const { id, name, from, to } = value;
  const isTip = (tip: unknown): boolean => tip === null || typeof tip === 'string';
  return typeof id === 'string' && typeof name === 'string' && isTip(from) && isTip(to);
}

/** Every condition that is given must hold; none: everything. */
export interface TrashQuery {
  readonly id?: string;
  readonly projectId?: ProjectId;
  /** Deleted before this time. */
  readonly deletedBefore?: string;
}

export function isAsked(entry: TrashEntry, { id, projectId, deletedBefore }: TrashQuery): boolean {
  return (
    (id === undefined || entry.id === id) &&
    (projectId === undefined || entry.projectId === projectId) &&
    (deletedBefore === undefined || Date.parse(entry.deletedAt) < Date.parse(deletedBefore))
  );
}

/** The newest deletion first. What was deleted in the same millisecond stays in the order of storage, newest first. */
export function newestFirst(entries: readonly TrashEntry[]): readonly TrashEntry[] {
  return [...entries].reverse().sort((a, b) => Date.parse(b.deletedAt) - Date.parse(a.deletedAt));
}

const TITLE_LENGTH = 120;

/** The beginning of a message on one line. No character is cut in half: half an emoji could not be shown. */
export function titleOf(content: string): string {
  const line = content
    .slice(0, TITLE_LENGTH * 4)
    .trim()
    .replaceAll(/\s+/g, ' ');
  const letters = Array.from(line);
  return letters.length <= TITLE_LENGTH ? line : `${letters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}

/** Where a pointer of a branch was moved from and to by a deletion. */
export interface MovedPointer {
  readonly branchId: BranchId;
  readonly pointer: 'tip' | 'fork';
  readonly from: NodeId;
  readonly to: NodeId | null;
}

/** A node that was handed to another parent by a deletion, with the match key that it had. */
export interface HandedUp {
  readonly id: NodeId;
  readonly from: NodeId;
  readonly to: NodeId | null;
  readonly matchKey: string;
}

/** What is restored needs something that is not there. */
export function nothingToReturnTo(what: 'project' | 'node', id: string): ConflictError {
  const gone =
    what === 'project'
      ? `The project "${id}" that it was deleted from is gone. Restore the project first.`
      : `The message "${id}" that it followed is gone too. Restore that one first, if it is in the trash.`;
  return new ConflictError('parent_gone', gone, id);
}
