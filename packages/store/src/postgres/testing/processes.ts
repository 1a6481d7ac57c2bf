import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The first process of a cluster's server; none where there never was one. */
export function firstProcess(cluster: string): readonly number[] {
  try {
    return [Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)];
  } catch {
    return [];
  }
}

/**
 * Every process of a server has its cluster as working directory; where that cannot be looked up, only the first
 * process.
 */
export function everyProcess(cluster: string): readonly number[] {
  if (process.platform !== 'linux') return firstProcess(cluster);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && workingDirectory(entry) === cluster)
    .map(Number);
}

/** The processes that serve Bough's connections, except the one that keeps the server running. */
export function backends(cluster: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return everyProcess(cluster).filter((pid) => {
    const title = commandLine(pid);
    return title.startsWith('postgres: bough ') && !title.includes('startup');
  });
}

export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It exited by itself at this very moment.
  }
}

function workingDirectory(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
