import { isPlainObject } from '@bough/core';
import { corrupt, readJson } from './records.ts';

/** What ResearchTree knows of a branch's lock. */
export interface BranchLock {
  readonly provider?: string;
  readonly model?: string;
  readonly previousResponseId?: string | null;
  readonly isHidden?: boolean;
}

type Entry = Readonly<Record<string, unknown>>;

/** `rt-branch-config.json`: the locks by branch name. Everything else in it is kept. */
export interface BranchConfig {
  readonly fields: Entry;
  readonly branches: ReadonlyMap<string, Entry>;
}

export const EMPTY_CONFIG: BranchConfig = { fields: {}, branches: new Map() };

export function readConfig(bytes: Buffer, subject: string): BranchConfig {
  const { branches, ...fields } = readJson(bytes, subject);
  if (branches !== undefined && !isPlainObject(branches)) throw corrupt(subject, 'has no object "branches"');
  // An older, plain form has the branches themselves at the top. It is written in the newer one.
  const isPlain = branches === undefined && Object.values(fields).some(isLock);
  const entries = Object.entries(isPlain ? fields : (branches ?? {}));
  return {
    fields: isPlain ? Object.fromEntries(entries.filter(([, entry]) => !isLock(entry))) : fields,
    branches: new Map(
      entries.filter((entry): entry is [string, Entry] => (isPlain ? isLock : isPlainObject)(entry[1])),
    ),
  };
}

const isLock = (entry: unknown): entry is Entry =>
  isPlainObject(entry) && (typeof entry['provider'] === 'string' || typeof entry['model'] === 'string');

export function writeConfig({ fields, branches }: BranchConfig): Buffer {
  const { version = 1, ...others } = fields;
  return Buffer.from(`${JSON.stringify({ version, ...others, branches: Object.fromEntries(branches) }, null, 2)}\n`);
}

export function lockOf(config: BranchConfig, branch: string): BranchLock {
  const entry = config.branches.get(branch) ?? {};
  const { provider, model, previousResponseId, isHidden } = entry;
  return {
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof previousResponseId === 'string' || previousResponseId === null ? { previousResponseId } : {}),
    ...(typeof isHidden === 'boolean' ? { isHidden } : {}),
  };
}

const ABSENT: Readonly<Record<string, unknown>> = { previousResponseId: null, isHidden: false };

/** What an entry says already, also by saying nothing, is not written into it: the file stays as it was. */
function changed(entry: Entry | undefined, lock: Required<BranchLock>): Entry {
  if (entry === undefined) return lock;
  return Object.fromEntries(
    Object.entries(lock).filter(([field, value]) => (field in entry ? entry[field] : ABSENT[field]) !== value),
  );
}

/** The configuration with one branch's lock set, or removed. */
export function withLockOf(config: BranchConfig, branch: string, lock: Required<BranchLock> | null): BranchConfig {
  const branches = new Map(config.branches);
  if (lock === null) branches.delete(branch);
  else branches.set(branch, { ...branches.get(branch), ...changed(branches.get(branch), lock) });
  return { fields: config.fields, branches };
}
