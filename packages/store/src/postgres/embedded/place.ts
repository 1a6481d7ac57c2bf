import { chown, mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StoreError } from '../../errors.ts';
import { codeOf } from '../connection/trouble.ts';
import type { Account } from './account.ts';
import { accountForServer, canReach } from './account.ts';
import { HANDLES_REACH_EVERYWHERE } from './handles.ts';
import { fileTrouble } from './trouble.ts';

/** Where a private PostgreSQL keeps its files, and the account that it runs as. */
export interface Place {
  readonly home: string;
  /** PostgreSQL's own data directory. Does not exist before the first start. */
  readonly cluster: string;
  readonly socketDir: string;
  readonly log: string;
  /** Null: the current user. */
  readonly account: Account | null;
}

/** Makes the directories around the cluster, readable only by the account that needs them. */
export async function preparePlace(dataDir: string): Promise<Place> {
  const newHome = resolve(dataDir, 'postgres');
  try {
    await mkdir(newHome, { recursive: true });
    const home = await homeOfExisting(newHome);
    const cluster = join(home, 'cluster');
    const account = await accountForServer(await ownerOf(cluster));
    if (account !== null && !HANDLES_REACH_EVERYWHERE && !(await canReach(account, cluster))) throw unreachable(home);
    const socketDir = join(home, 'socket');
    await mkdir(socketDir, { recursive: true, mode: 0o700 });
    if (account !== null) await chown(socketDir, account.uid, account.gid);
    return { home, cluster, socketDir, log: join(home, 'server.log'), account };
  } catch (error) {
    throw fileTrouble(error, newHome);
  }
}

/** Earlier versions of Bough nested a second folder. Without this check their conversations would seem to be gone. */
async function homeOfExisting(newHome: string): Promise<string> {
  const nested = join(newHome, 'postgres');
  const isNested =
    (await ownerOf(join(newHome, 'cluster'))) === null && (await ownerOf(join(nested, 'cluster'))) !== null;
  return isNested ? nested : newHome;
}

async function ownerOf(directory: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(directory);
    return { uid, gid };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function unreachable(home: string): StoreError {
  return new StoreError(
    'data_dir_unreachable',
    home,
    `PostgreSQL does not run as root, and the user that it runs as instead cannot reach ${home}. Set BOUGH_DATA_DIR to a ` +
      'directory that other users may pass through, start Bough as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}
