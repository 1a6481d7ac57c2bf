import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import { hasCode } from '../../on-disk/disk/index.ts';

// When Bough is killed, the `git update-ref` that it had started lives on for a moment, and may be in the middle of moving refs.
// Its process id is written down before it can lock anything; whoever opens the repository next waits for its end.

const fileOf = (gitDir: string): string => join(gitDir, 'bough', 'writer');

/** Synchronous: the process must not get its first command before this is written. */
export function noteWriter(gitDir: string, pid: number): void {
  const file = fileOf(gitDir);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, String(pid));
}

const PATIENCE_MS = 10_000;

/** Waits until the ref writer of a dead process has ended. */
export async function awaitFormerWriter(gitDir: string): Promise<void> {
  const pid = readPid(gitDir);
  if (pid === null) return;
  const end = Date.now() + PATIENCE_MS;
  while (isRefWriter(pid)) {
    if (Date.now() > end) {
      throw new StoreError(
        'store_busy',
        gitDir,
        `The process ${pid} is still writing to ${gitDir} and does not end. Look at it, end it, and start again.`,
      );
    }
    await sleep(5);
  }
  await rm(fileOf(gitDir), { force: true });
}

function readPid(gitDir: string): number | null {
  try {
    const pid = Number(readFileSync(fileOf(gitDir), 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isRefWriter(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of somebody else has got the number since.
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('update-ref');
  } catch (error) {
    // Without /proc the number is all that there is; with it, the process has just ended.
    if (hasCode(error, 'ENOENT')) return process.platform !== 'linux';
    throw error;
  }
}
