import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StoreError } from '../../errors.ts';
import type { Account } from './account.ts';
import { accountForServer, canReach } from './account.ts';
import { codeOf } from '../connection/trouble.ts';
import { fileTrouble } from './trouble.ts';

/** Where a private PostgreSQL keeps what, and whom it runs as. */
export interface Place {
  readonly home: string;
  /** PostgreSQL's own data directory. Does not exist before the first start. */
  readonly cluster: string;
  readonly socketDir: string;
  readonly log: string;
  readonly account: Account | null;
}

/** Named in the data directory when the cluster lies elsewhere, so that whoever looks for it finds it. */
const LOCATION = 'postgres.location';

/**
 * The cluster lies in the data directory. Only where we are root and the account that PostgreSQL runs as cannot get there
 * (a data directory below a 0700 home) does it lie in `shared`, and a file in the data directory says where.
 */
export async function choosePlace(dataDir: string, shared = '/var/lib/bough'): Promise<Place> {
  const root = resolve(dataDir);
  try {
    await mkdir(root, { recursive: true });
    const known = await readLocation(root);
    const usual = placeIn(
      join(root, 'postgres'),
      await accountForServer(await ownerOf(join(root, 'postgres', 'cluster'))),
    );
    if (known !== null)
      return await prepare(placeIn(known, await accountForServer(await ownerOf(join(known, 'cluster')))));
    if (usual.account === null) return await prepare(usual);
    await letPass(root, usual.account);
    if (await canReach(usual.account, usual.home)) return await prepare(usual);
    const elsewhere = await prepare(placeIn(join(shared, `postgres-${randomBytes(6).toString('hex')}`), usual.account));
    if (!(await canReach(usual.account, elsewhere.cluster))) {
      throw new StoreError(
        'data_dir_unreachable',
        root,
        `PostgreSQL does not run as root, and the user that it runs as can reach neither ${root} nor ${shared}. ` +
          'Set BOUGH_DATA_DIR to a directory that other users may pass through, or DATABASE_URL to a PostgreSQL server.',
      );
    }
    await writeFile(join(root, LOCATION), `${elsewhere.home}\n`);
    return elsewhere;
  } catch (error) {
    throw fileTrouble(error, root);
  }
}

function placeIn(home: string, account: Account | null): Place {
  return {
    home,
    cluster: join(home, 'cluster'),
    socketDir: join(home, 'socket'),
    log: join(home, 'server.log'),
    account,
  };
}

async function prepare(place: Place): Promise<Place> {
  await mkdir(place.home, { recursive: true });
  if (place.account !== null) await letPass(place.home, place.account);
  await mkdir(place.socketDir, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  if (place.account !== null) await chown(place.socketDir, place.account.uid, place.account.gid);
  return place;
}

/** Lets PostgreSQL's group, and nobody else, pass through a directory of ours. Never touches what lies above it. */
async function letPass(directory: string, account: Account): Promise<void> {
  const stats = await stat(directory);
  if (stats.uid !== 0 || (stats.mode & 0o077) !== 0) return;
  await chown(directory, stats.uid, account.gid);
  await chmod(directory, (stats.mode & 0o700) | 0o010);
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

async function readLocation(root: string): Promise<string | null> {
  const file = join(root, LOCATION);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const home = text.trim();
  // A new, empty cluster in its stead would look like every project being gone.
  if ((await ownerOf(home)) === null) {
    throw new StoreError(
      'cluster_missing',
      home,
      `The database of ${root} lies in ${home}, and that is not there. Bring it back, or remove ${file} to start empty.`,
    );
  }
  return home;
}
