import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import { codeOf } from '../connection/trouble.ts';
import type { Binaries } from './binaries.ts';
import { run } from './cluster.ts';
import { reaching, startingDirectory } from './handles.ts';
import type { Place } from './place.ts';
import { programEnvironment, socketPathLimit, startsByPgCtl } from './platform.ts';
import type { Postmaster } from './postmaster.ts';
import { isServing, readPostmaster, removeStaleLocks } from './postmaster.ts';
import { fileTrouble } from './trouble.ts';

/** Where a running server is reached: `host` is a directory for a Unix socket. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const POLL_MS = 10;
/** How long a cluster may be held by something that never becomes a usable server. */
const PATIENCE_MS = 30_000;
const LOG_LIMIT = 10_000_000;
/** In a directory of its own, the number is only part of the socket's name. */
const SOCKET_PORT = 5432;

/**
 * Returns the address of the cluster's server: the running one, whoever started it, or a new one. Recovery after a
 * crash takes as long as it takes; the wait ends when the server is ready or fails.
 */
export async function ensureRunning(place: Place, binaries: Binaries): Promise<Address> {
  let heldSince: number | null = null;
  try {
    for (;;) {
      const postmaster = await readPostmaster(place.cluster);
      if (postmaster !== null && (await isServing(postmaster.pid, place.cluster))) {
        if (isReady(postmaster)) return addressOf(place, postmaster);
        await sleep(POLL_MS);
        continue;
      }
      if (postmaster !== null) {
        // From another container that shares the directory, its process id means nothing, but its socket answers.
        if (await answers(addressOf(place, postmaster))) return addressOf(place, postmaster);
        await removeStaleLocks(place, postmaster);
      }
      const held = await launch(place, binaries);
      if (held === null) continue;
      heldSince ??= performance.now();
      if (performance.now() - heldSince > PATIENCE_MS) throw held;
      await sleep(POLL_MS);
    }
  } catch (error) {
    throw fileTrouble(error, place.home);
  }
}

/** Stops the server, if it is on our own system: open connections are cut, what is committed is flushed. */
export async function stopServer(place: Place, binaries: Binaries): Promise<void> {
  const postmaster = await readPostmaster(place.cluster);
  if (postmaster === null || !(await isServing(postmaster.pid, place.cluster))) return;
  await run(binaries.pgCtl, place, [place.cluster], ([cluster]) => [
    'stop',
    `--pgdata=${cluster}`,
    '--mode=fast',
    '--wait',
    '--timeout=600',
  ]);
}

const isReady = (postmaster: Postmaster): boolean => postmaster.status === 'ready';

function addressOf(place: Place, postmaster: Postmaster): Address {
  return { host: postmaster.onSocket ? place.socketDir : '127.0.0.1', port: postmaster.port };
}

/** Whether anything listens there. */
async function answers({ host, port }: Address): Promise<boolean> {
  const socket = host.startsWith('/') ? connect(socketIn(host, port)) : connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const socketIn = (directory: string, port: number): string => join(directory, `.s.PGSQL.${port}`);

/**
 * Starts a server and returns null when it is ready; otherwise the reason why something else holds the cluster: another
 * server, the last processes of a killed one, a port that has just been taken.
 */
async function launch(place: Place, binaries: Binaries): Promise<StoreError | null> {
  const log = await openLog(place.log);
  try {
    const { size: before } = await log.stat();
    const ended = await startAndWait(place, binaries, log);
    if (ended === null) return null;
    const said = (await readFile(place.log)).subarray(before).toString('utf8');
    const trouble = startTrouble(place, ended, said);
    if (HELD.test(said)) return trouble;
    throw trouble;
  } finally {
    await log.close();
  }
}

const HELD = /lock file ".*" already exists|pre-existing shared memory block|Address already in use/;

/** Null when the server is ready; otherwise how its process ended. */
async function startAndWait(place: Place, binaries: Binaries, log: FileHandle): Promise<string | null> {
  const listening = await listeningFor(place);
  if (startsByPgCtl(process.platform)) return startByPgCtl(place, binaries, log, listening);
  return reaching(place, [place.cluster, place.socketDir], async ({ paths, handles }) => {
    const child = spawn(binaries.postgres, serverArguments(paths, listening), {
      ...place.account,
      cwd: startingDirectory(place),
      env: programEnvironment(process.platform, process.env),
      stdio: ['ignore', log.fd, log.fd, ...handles],
      // A process group of its own: Ctrl-C in a terminal must reach Bough, which has writes to finish, and not its
      // database.
      detached: true,
      windowsHide: true,
    });
    const ending: { how: string | null } = { how: null };
    child.once('exit', (code, signal) => (ending.how = String(code ?? signal)));
    child.once('error', (error) => (ending.how = codeOf(error) ?? error.message));
    child.unref();
    while (ending.how === null) {
      const postmaster = await readPostmaster(place.cluster);
      if (postmaster !== null && postmaster.pid === child.pid && isReady(postmaster)) return null;
      await sleep(POLL_MS);
    }
    return ending.how;
  });
}

/** `pg_ctl` ends when the server is ready, which then belongs to nobody. */
async function startByPgCtl(
  place: Place,
  binaries: Binaries,
  log: FileHandle,
  listening: number | null,
): Promise<string | null> {
  const child = spawn(binaries.pgCtl, pgCtlArguments(place, listening), {
    cwd: startingDirectory(place),
    env: programEnvironment(process.platform, process.env),
    stdio: ['ignore', log.fd, log.fd],
    // A console of its own: Ctrl-C in ours must reach Bough, which has writes to finish, and not its database.
    detached: true,
    windowsHide: true,
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(codeOf(error) ?? error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? null : String(code ?? signal)));
  });
}

/** The settings hold no spaces and no quotes: `pg_ctl` hands them to a shell in one piece. */
export function pgCtlArguments(place: Pick<Place, 'cluster' | 'log'>, listening: number | null): readonly string[] {
  const [, , ...settings] = serverArguments([place.cluster, ''], listening);
  return [
    'start',
    `--pgdata=${place.cluster}`,
    `--log=${place.log}`,
    '--wait',
    '--timeout=600',
    `--options=${settings.join(' ')}`,
  ];
}

/** The port to listen on, or null for the socket. */
async function listeningFor(place: Place): Promise<number | null> {
  const length = Buffer.byteLength(socketIn(place.socketDir, SOCKET_PORT));
  const limit = socketPathLimit(process.platform);
  return limit !== null && length <= limit ? null : freePort();
}

function serverArguments(paths: readonly string[], loopbackPort: number | null): readonly string[] {
  const [cluster = '', socketDir = ''] = paths;
  const settings: Record<string, string | number> = {
    listen_addresses: loopbackPort === null ? '' : '127.0.0.1',
    unix_socket_directories: loopbackPort === null ? quoteListItem(socketDir) : '',
    unix_socket_permissions: '0700',
    port: loopbackPort ?? SOCKET_PORT,
    max_connections: 100,
    // One machine, no replica: less to write, and just as durable.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Parallel workers need /dev/shm, which containers keep small; Bough's queries are short, and a migration that
    // rebuilds indexes must not fail because of it.
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    jit: 'off',
    // A new database grows fast, and plans depend on the statistics. One database with a few tables is quickly
    // examined.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

// The setting is a list: a comma or a space in the path would split it.
function quoteListItem(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}

/** Keeps one old log, so that each start limits the log of a server that runs for years. */
async function openLog(path: string): Promise<FileHandle> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > LOG_LIMIT) await rename(path, `${path}.old`);
  return open(path, 'a', 0o600);
}

function startTrouble(place: Place, ended: string, said: string): StoreError {
  const tail = said.trim().split('\n').slice(-8).join('\n') || '(nothing)';
  if (/No space left on device/.test(said)) {
    return new StoreError(
      'disk_full',
      place.home,
      `There is no space left for ${place.home}. Free some and start again.\n${tail}`,
    );
  }
  if (/wrong ownership|invalid permissions|Permission denied|Read-only file system/.test(said)) {
    return new StoreError(
      'data_dir_not_writable',
      place.home,
      `PostgreSQL may not use ${place.cluster}. It must belong to the user that runs Bough, and be writable.\n${tail}`,
    );
  }
  if (/files are incompatible with server/.test(said)) {
    return new StoreError(
      'cluster_version',
      place.cluster,
      `${place.cluster} was made by another version of PostgreSQL. Start the Bough that made it and move the projects, ` +
        `or set DATABASE_URL to a server of that version.\n${tail}`,
    );
  }
  return new StoreError(
    'embedded_failed',
    place.log,
    `PostgreSQL did not start (${ended}). The end of ${place.log} tells why:\n${tail}`,
  );
}
