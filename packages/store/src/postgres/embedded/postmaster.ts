import { execFile } from 'node:child_process';
import { readFile, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../connection/trouble.ts';
import type { Place } from './place.ts';
import { namesPostgres, processNameCommand, programEnvironment } from './platform.ts';

/** What PostgreSQL writes about itself into `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly startedAt: string;
  readonly port: number;
  /** It listens on a Unix socket. The place knows where: the server may name the directory in its own way. */
  readonly onSocket: boolean;
  readonly status: string;
}

export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return {
    pid,
    startedAt: lines[2] ?? '',
    port: Number(lines[3]),
    onSocket: (lines[4] ?? '') !== '',
    status: lines[7] ?? '',
  };
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Whether a process is a PostgreSQL process of this cluster. A process id alone proves nothing: after a crash it may
 * belong to anything, in a container very likely to Bough itself, and a zombie still accepts signals.
 */
export async function isServing(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') return (await workingDirectory(String(pid))) === (await realpath(cluster));
  const [program, ...words] = processNameCommand(process.platform, pid);
  const env = programEnvironment(process.platform, process.env);
  const { stdout } = await promisify(execFile)(program, words, { env: { PATH: '/usr/bin:/bin', ...env } }).catch(
    () => ({
      stdout: '',
    }),
  );
  return namesPostgres(process.platform, stdout);
}

/**
 * Removes the lock files of a dead server whose process id now belongs to another process: PostgreSQL would refuse to
 * start because of them. Not while any process still works in the cluster.
 */
export async function removeStaleLocks({ cluster, socketDir }: Place, stale: Postmaster): Promise<void> {
  if (process.platform === 'linux') {
    const here = await realpath(cluster);
    for (const entry of await readdir('/proc')) {
      if (/^\d+$/.test(entry) && (await workingDirectory(entry)) === here) return;
    }
  }
  // Another process may have done all this in the meantime and started a server: then this is that server's lock.
  const now = await readPostmaster(cluster);
  if (now?.pid !== stale.pid || now.startedAt !== stale.startedAt) return;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (stale.onSocket) await rm(join(socketDir, `.s.PGSQL.${stale.port}.lock`), { force: true });
}

// Every process of a server has its cluster as working directory.
async function workingDirectory(pid: string): Promise<string | null> {
  return readlink(join('/proc', pid, 'cwd')).catch(() => null);
}
