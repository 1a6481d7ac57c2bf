import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { isPlainObject } from '@bough/core';
import { ConflictError, StoreError } from '../../errors.ts';
import { diskTrouble, hasCode } from '../disk/index.ts';
import { readPlain } from '../inside/index.ts';

export interface Lock {
  readonly release: () => Promise<void>;
}

/** Who holds the lock. `started` tells a process from a later one with the same id. */
interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
}

/** The locks of this process. After a restart in a container the new process may have the dead one's id. */
const heldHere = new Set<string>();

/**
 * Keeps a second process out of a directory, which is created if missing. The lock of a process that died is taken
 * over.
 */
export async function acquireLock(path: string, directoryMode = 0o700): Promise<Lock> {
  const holder: Holder = {
    token: randomUUID(),
    pid: process.pid,
    host: hostname(),
    started: await startOf(process.pid),
  };
  const own = `${path}.${holder.token}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: directoryMode });
    // Written before it becomes the lock: an existing lock always says whose it is.
    await writeFile(own, JSON.stringify(holder), { flag: 'wx' });
    // Ours from the moment it becomes visible.
    heldHere.add(holder.token);
    while (!(await tryLink(own, path))) await removeStale(path);
  } catch (error) {
    heldHere.delete(holder.token);
    throw diskTrouble(path, error);
  } finally {
    await rm(own, { force: true });
  }
  return {
    release: async () => {
      if (heldHere.delete(holder.token)) await rm(path, { force: true });
    },
  };
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead process; throws where its holder is alive or cannot be asked. It is removed under a second
 * lock, after checking again: otherwise two processes that find the same dead lock could remove each other's new one.
 */
async function removeStale(path: string): Promise<void> {
  const found = await requireDead(path);
  if (found === null) return;
  const takeover = await acquireLock(`${path}.takeover`);
  try {
    const now = await requireDead(path);
    if (now !== null) await rm(path, { force: true });
  } finally {
    await takeover.release();
  }
}

/** Throws where a living process holds the lock; null where nobody does. */
export async function requireDead(path: string): Promise<Holder | null> {
  const holder = await readHolder(path);
  if (holder === null || !(await isAlive(holder))) return holder;
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  throw new ConflictError(
    'store_locked',
    `The directory ${dirname(path)} is in use by process ${holder.pid}${where}. Stop it first; if it no longer exists, remove ${path}.`,
    String(holder.pid),
  );
}

/** Anything else in its place (a link, a pipe, a file of any size) is not a lock of ours, and nobody holds it. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    const text = await readPlain(path, (bytes) => bytes.toString('utf8'), LONGEST);
    return text === null ? null : (parseHolder(text) ?? { ...NOBODY, token: text });
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'link_refused' || error.code === 'malformed_file'))
      return NOBODY;
    throw error;
  }
}

const LONGEST = 64 * 1024;
const NOBODY: Holder = { token: '', pid: 0, host: hostname(), started: null };

function parseHolder(text: string): Holder | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isPlainObject(value)) return null;
  const { token, pid, host, started } = value;
  if (typeof token !== 'string' || typeof pid !== 'number' || typeof host !== 'string') return null;
  return { token, pid, host, started: typeof started === 'string' ? started : null };
}

async function isAlive({ token, pid, host, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  if (pid === process.pid) return heldHere.has(token);
  // No process has this id: the file is not a lock of ours, and nobody holds it.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
  const now = await startOf(pid);
  return now === null || started === null || now === started;
}

/** When a process started, in a form unique on this machine; null where the system does not say. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name, in parentheses, containing anything; the start time is the 22nd field, the state
    // the third.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'dead' : `${boot.trim()} ${rest[18]}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'ESRCH', 'ENOTDIR')) return null;
    throw error;
  }
}
