import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import type { Binaries } from './binaries.ts';
import { reaching, startingDirectory } from './handles.ts';
import type { Place } from './place.ts';
import { mayBeBusy, programEnvironment } from './platform.ts';
import { isAlive } from './postmaster.ts';
import { codeOf } from '../connection/trouble.ts';
import { fileTrouble } from './trouble.ts';

/** The database superuser of a private cluster. */
export const USER = 'bough';
export const DATABASE = 'postgres';

const PASSWORD_FILE = 'bough.password';
const BUSY_MS = 50;

/**
 * Makes the cluster if there is none. It is made under a temporary name and renamed, so that it is whole or not there:
 * a second process doing the same at the same time, or a kill in the middle, never leaves half a cluster in its place.
 */
export async function ensureCluster(place: Place, binaries: Binaries): Promise<void> {
  try {
    if (await isCluster(place.cluster)) return;
    await removeAbandoned(place);
    const making = `${place.cluster}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      await initialise(making, place, binaries);
      await renameWhenFree(making, place.cluster);
      await syncDirectory(place.home);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      // Another process was faster, and its cluster is as good as ours.
      if (!(await isCluster(place.cluster))) throw error;
    }
  } catch (error) {
    throw fileTrouble(error, place.home);
  }
}

export async function readPassword(place: Place): Promise<string> {
  try {
    return (await readFile(join(place.cluster, PASSWORD_FILE), 'utf8')).trim();
  } catch (error) {
    throw fileTrouble(error, place.home);
  }
}

async function isCluster(directory: string): Promise<boolean> {
  return stat(join(directory, 'PG_VERSION')).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

async function initialise(directory: string, place: Place, binaries: Binaries): Promise<void> {
  const passwordFile = `${directory}.password`;
  await mkdir(directory, { mode: 0o700 });
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  try {
    if (place.account !== null) {
      await chown(directory, place.account.uid, place.account.gid);
      await chown(passwordFile, place.account.uid, place.account.gid);
    }
    await run(binaries.initdb, place, [directory, passwordFile], ([data, password]) => [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same collation and letter case on every system, without its locale files.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // A quarter of the default: a new cluster is smaller and is synced faster.
      '--wal-segsize=4',
      '--no-instructions',
    ]);
    await rename(passwordFile, join(directory, PASSWORD_FILE));
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Runs one of PostgreSQL's programs to its end, as the place's account, which reaches `files` by the paths given. */
export async function run(
  program: string,
  place: Place,
  files: readonly string[],
  args: (paths: readonly string[]) => readonly string[],
): Promise<void> {
  await reaching(place, files, async ({ paths, handles }) => {
    const child = spawn(program, args(paths), {
      ...place.account,
      cwd: startingDirectory(place),
      env: programEnvironment(process.platform, process.env),
      stdio: ['ignore', 'ignore', 'pipe', ...handles],
      windowsHide: true,
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    const status = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject).once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    }).catch((error: unknown) => {
      throw doesNotRun(program, error);
    });
    if (status === 0) return;
    const code = /No space left on device/.test(said) ? 'disk_full' : 'embedded_failed';
    const name = basename(program);
    throw new StoreError(code, place.home, `${name} failed (${status}): ${said.trim() || 'it said nothing'}`);
  });
}

function doesNotRun(program: string, cause: unknown): StoreError {
  return new StoreError(
    'embedded_unavailable',
    program,
    `The PostgreSQL that comes with Bough does not run on this system (${codeOf(cause) ?? String(cause)}); on Linux it needs ` +
      'glibc. Set DATABASE_URL to a PostgreSQL server instead.',
    { cause },
  );
}

/** Removes what a killed process left of a cluster that it was making. */
async function removeAbandoned(place: Place): Promise<void> {
  const prefix = `${basename(place.cluster)}.`;
  for (const name of await readdir(place.home)) {
    if (!name.startsWith(prefix)) continue;
    const maker = Number(name.slice(prefix.length).split('.')[0]);
    if (!isAlive(maker)) await rm(join(place.home, name), { recursive: true, force: true });
  }
}

/** The programs that wrote into the directory may have ended a moment ago. */
export async function renameWhenFree(
  from: string,
  to: string,
  { platform = process.platform, move = rename, patienceMs = 10_000 } = {},
): Promise<void> {
  const patienceEnds = performance.now() + patienceMs;
  for (;;) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!mayBeBusy(platform, codeOf(error)) || performance.now() > patienceEnds) throw error;
      await sleep(BUSY_MS);
    }
  }
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
