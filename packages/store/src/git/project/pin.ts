import { dirname, join } from 'node:path';
import type { Branch } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { readIfThere } from '../../on-disk/disk/index.ts';
import { PROJECT_FILE } from '../meta/layout.ts';
import { readJson } from '../meta/records.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { kindOf } from '../repository/require-plain.ts';

// ResearchTree pins one branch of a project, and notes it in the work tree alone: it never commits the pin.

/** The branch that is pinned there; null where none is; undefined where there is no work tree. */
export async function readPin(gitDir: string): Promise<string | null | undefined> {
  const fields = await readFields(gitDir);
  if (fields === null) return undefined;
  return typeof fields['pinnedBranchName'] === 'string' ? fields['pinnedBranchName'] : null;
}

const fileOf = (gitDir: string): string => join(dirname(gitDir), PROJECT_FILE);

/** Null where there is no such file, or one that nobody can read: a pin is not worth a project. */
async function readFields(gitDir: string): Promise<Readonly<Record<string, unknown>> | null> {
  if (kindOf(fileOf(gitDir)) !== 'file') return null;
  const bytes = await readIfThere(fileOf(gitDir));
  try {
    return bytes === null ? null : readJson(bytes, fileOf(gitDir));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** What the work tree says counts, as the lock file does: it is what the other program edits. */
export function withPin<Named extends Pick<Branch, 'name' | 'pinned'>>(
  branch: Named,
  pin: string | null | undefined,
): Named {
  const pinned = pin === branch.name || (pin === undefined && branch.pinned);
  return pinned === branch.pinned ? branch : { ...branch, pinned };
}

/** Tells ResearchTree of a pin that was set or removed here. */
export async function notePin(gitDir: string, { name, pinned }: Pick<Branch, 'name' | 'pinned'>): Promise<void> {
  const fields = await readFields(gitDir);
  if (fields === null) return;
  const { pinnedBranchName, ...others } = fields;
  if (pinned === (pinnedBranchName === name)) return;
  const next = pinned ? { ...fields, pinnedBranchName: name } : others;
  await replaceFile(fileOf(gitDir), Buffer.from(JSON.stringify(next, null, 2)), true);
}
