import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of our own that can be full. */
export interface SmallDisk {
  readonly path: string;
  /** Writes until nothing fits any more. */
  readonly fill: () => Promise<void>;
  /** Gives the room back. */
  readonly free: () => void;
  readonly dispose: () => void;
}

/** Whether this user may mount anything: root outside of most containers. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    mountSmallDisk(1).dispose();
    return true;
  } catch {
    return false;
  }
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'bough-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'bough-test', path], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: async () => {
      for (let size = 1 << 20; size >= 1;) {
        try {
          await appendFile(filler, Buffer.alloc(size));
        } catch {
          // Full for pieces of this size: smaller ones may still fit.
          size >>= 1;
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    dispose: () => {
      execFileSync('umount', [path], { stdio: 'pipe' });
      rmdirSync(path);
    },
  };
}
