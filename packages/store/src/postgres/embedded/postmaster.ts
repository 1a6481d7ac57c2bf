import { execFile } from 'node:child_process';
import { readFile, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../connection/trouble.ts';
import type { Place } from './place.ts';

/** What PostgreSQL writes about itself into `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly startedAt: string;
  readonly port: number;
  /**
   * It listens on a Unix socket. Where is for the place to know: the server may name the directory in a way of its own.
   */
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
 * Whether a process is a PostgreSQL process of this cluster. A number alone proves nothing: after a crash it may belong
 * to anything, in a container very likely to Bough itself, and a process that nobody reaped answers signals without
 * being there.
 */
export async function isServing(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') return (await workingDirectory(String(pid))) === (await realpath(cluster));
  if (process.platform === 'win32') return true;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)], { env: {} }).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres');
}

/**
 * Removes the lock files of a server that is gone but whose number lives on in another process: PostgreSQL would refuse
 * to start because of them. Not while any process still works in the cluster.
 */
export async function removeStaleLocks({ cluster, socketDir }: Place, stale: Postmaster): Promise<void> {
  if (process.platform === 'linux') {
    const here = await realpath(cluster);
    for (const entry of await readdir('/proc')) {
      if (/^\d+$/.test(entry) && (await workingDirectory(entry)) === here) return;
    }
  }
  // Another process may have done all this meanwhile, and started a server whose lock this now is.
  const now = await readPostmaster(cluster);
  if (now?.pid !== stale.pid || now.startedAt !== stale.startedAt) return;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (stale.onSocket) await rm(join(socketDir, `.s.PGSQL.${stale.port}.lock`), { force: true });
}

// Every process of a server works in its cluster's directory.
async function workingDirectory(pid: string): Promise<string | null> {
  return readlink(join('/proc', pid, 'cwd')).catch(() => null);
}
