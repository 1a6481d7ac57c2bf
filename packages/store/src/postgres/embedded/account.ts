import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StoreError } from '../../errors.ts';
import { SERVER_ACCOUNTS } from './platform.ts';

/** The user and group that a process runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export const runsAsRoot = (): boolean => process.getuid?.() === 0;

/**
 * PostgreSQL refuses to run as root. An existing cluster keeps its owner: PostgreSQL also refuses a data directory that
 * belongs to somebody else. Null means: as the current user.
 */
export async function accountForServer(clusterOwner: Account | null): Promise<Account | null> {
  if (!runsAsRoot()) return null;
  if (clusterOwner !== null && clusterOwner.uid !== 0) return clusterOwner;
  const accounts = await readAccounts('/etc/passwd');
  const account = SERVER_ACCOUNTS.map((name) => accounts.get(name)).find((found) => found !== undefined);
  if (account === undefined) {
    throw new StoreError(
      'embedded_unavailable',
      '/etc/passwd',
      'PostgreSQL does not run as root, and this system has neither a "postgres" nor a "nobody" user to run it as. ' +
        'Start Bough as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  return account;
}

async function readAccounts(file: string): Promise<ReadonlyMap<string, Account>> {
  const accounts = new Map<string, Account>();
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid && Number(uid) > 0) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}

/**
 * Whether an account may pass through every directory on the way to `path`. Judged by mode bits, because access(2)
 * answers for us, and root may go anywhere.
 */
export async function canReach(account: Account, path: string): Promise<boolean> {
  for (const directory of directoriesAbove(resolve(path))) {
    if (!allows(await stat(directory), account, 0o1)) return false;
  }
  return true;
}

export async function canRead(account: Account, file: string): Promise<boolean> {
  return (await canReach(account, file)) && allows(await stat(file), account, 0o4);
}

function directoriesAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    above.push(at);
    if (at === dirname(at)) return above;
  }
}

function allows(stats: Stats, account: Account, bit: 0o1 | 0o4): boolean {
  if (stats.uid === account.uid) return (stats.mode & (bit << 6)) !== 0;
  if (stats.gid === account.gid) return (stats.mode & (bit << 3)) !== 0;
  return (stats.mode & bit) !== 0;
}
