import { join } from 'node:path';
import { isPlainObject } from '@bough/core';
import { readIfThere } from '../../on-disk/disk/index.ts';
import type { TrashEntry } from '../../trash.ts';
import { readJson, writeJson } from '../meta/records.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { requirePlainPath } from '../repository/require-plain.ts';
import { entryFrom } from '../trash/layout.ts';

/** A project in the trash: `bough/trash.json` in its repository, written before it is moved there. */
export interface TrashedProject {
  readonly entry: TrashEntry;
  /** The name of the directory that it was in. */
  readonly name: string;
  /** What lay in the project's own trash. */
  readonly contains: readonly TrashEntry[];
}

const FILE = 'bough/trash.json';

export async function writeTrashed(directory: string, trashed: TrashedProject): Promise<void> {
  await replaceFile(join(directory, '.git', FILE), writeJson(trashed), true);
}

/** Null where there is no such file: somebody else made the directory. */
export async function readTrashed(directory: string): Promise<TrashedProject | null> {
  const gitDir = join(directory, '.git');
  requirePlainPath(gitDir, FILE);
  const path = join(gitDir, FILE);
  const bytes = await readIfThere(path);
  if (bytes === null) return null;
  const { entry, name, contains } = readJson(bytes, path);
  if (typeof name !== 'string' || name.includes('/') || name.startsWith('.') || !isPlainObject(entry)) return null;
  const within = Array.isArray(contains) ? contains.map((one) => entryFrom(one, path)) : [];
  return { entry: entryFrom(entry, path), name, contains: within };
}
