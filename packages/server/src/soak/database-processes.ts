import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The first process of a cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly onSocket: boolean;
}

const PATIENCE_MS = 30_000;

/** As PostgreSQL recorded it; waits for a server that is just being started. */
export async function postmasterOf(cluster: string): Promise<Postmaster> {
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
    const lines = text.split('\n').map((line) => line.trim());
    const pid = Number(lines[0]);
    if (lines[7] === 'ready' && (await isHeadOf(pid, cluster)))
      return { pid, port: Number(lines[3]), onSocket: lines[4] !== '' };
    if (performance.now() > giveUp) throw new Error(`No PostgreSQL runs in ${cluster}.`);
    await sleep(10);
  }
}

/** A process id alone proves nothing: 0 would be ourselves, and any other may have been reused. */
async function isHeadOf(pid: number, cluster: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform !== 'linux') return true;
  return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === (await realpath(cluster));
}

/** `SIGKILL` is sent to every process at once; `SIGQUIT` to the first one, which stops the others. */
export async function killDatabase(cluster: string, signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
  const { pid } = await postmasterOf(cluster);
  const pids = signal === 'SIGKILL' ? [pid, ...(await childrenOf(pid))] : [pid];
  for (const each of pids) {
    try {
      process.kill(each, signal);
    } catch (error) {
      // It has exited by itself in the meantime, or with the first one.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const pairs = process.platform === 'linux' ? await fromProc() : await fromPs();
  return pairs.flatMap(([pid, ppid]) => (ppid === parent ? [pid] : []));
}

type Pair = readonly [pid: number, ppid: number];

async function fromProc(): Promise<readonly Pair[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // The name in parentheses may contain anything; the state and the parent follow it.
  return texts.flatMap((text): readonly Pair[] => {
    const [, ppid] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return ppid === undefined ? [] : [[Number.parseInt(text, 10), Number(ppid)]];
  });
}

async function fromPs(): Promise<readonly Pair[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .trim()
    .split('\n')
    .map((line): Pair => {
      const [pid, ppid] = line.trim().split(/\s+/);
      return [Number(pid), Number(ppid)];
    });
}
