import type { NodeId, TreeNode } from '@bough/core';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import type { HandedUp, MovedPointer, TrashEntry } from '../../trash.ts';
import { isTrashEntry } from '../../trash.ts';
import { TRASH } from '../meta/layout.ts';
import { type BranchRecord, corrupt, readJson, readRecord } from '../meta/records.ts';
import { directoryOf, readEntry, subjectOf } from '../operations/turn-files.ts';
import type { OpenProject } from '../project/open-project.ts';

// `trash/<entry>/` in the tree of `refs/bough/meta`: what people see of it, what was removed, and the files that were
// removed as the blobs that they were. It is written by the commit that deletes: there is never one without the other.

export const ENTRY = 'entry.json';
export const REMOVED = 'removed.json';

export const trashDirectory = (id: string): string => `${TRASH}/${fileNameOf(id)}`;
export const keptFile = (index: number): string => `file-${index}`;

/** `removed.json` */
export interface Removed {
  /** Parents first, each with its line. */
  readonly nodes: readonly { readonly node: TreeNode; readonly order: number; readonly line: string }[];
  /** The paths of the kept files, by their number. */
  readonly files: readonly string[];
  /** Those of them that stayed, for the case that they are deleted later. */
  readonly stayed: readonly string[];
  readonly includeThinking: Readonly<Record<string, boolean>>;
  readonly nodeTurns: Readonly<Record<string, string>>;
  readonly pointers: readonly MovedPointer[];
  readonly children: readonly HandedUp[];
  readonly branch: { readonly record: BranchRecord; readonly tip: NodeId | null } | null;
}

export const NOTHING: Removed = {
  nodes: [],
  files: [],
  stayed: [],
  includeThinking: {},
  nodeTurns: {},
  pointers: [],
  children: [],
  branch: null,
};

export function readRemoved(bytes: Buffer, subject: string): Removed {
  return readRecord<Removed>(bytes, subject, [
    'nodes',
    'files',
    'stayed',
    'includeThinking',
    'nodeTurns',
    'pointers',
    'children',
    'branch',
  ]);
}

/** The entries of a project, in the order of their names. */
export async function entriesOf(project: OpenProject): Promise<readonly TrashEntry[]> {
  const names = [...(await directoryOf(project, TRASH)).keys()];
  return Promise.all(
    names.map(async (name) => {
      const path = `${TRASH}/${name}`;
      const bytes = await readEntry(project, await directoryOf(project, path), ENTRY);
      return entryFrom(readJson(bytes, subjectOf(project, `${path}/${ENTRY}`)), subjectOf(project, path));
    }),
  );
}

export function entryFrom(value: unknown, subject: string): TrashEntry {
  if (!isTrashEntry(value)) throw corrupt(subject, 'is not an entry of the trash');
  return value;
}
