import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of our own that can be full, too small, read-only, and large again. */
export interface SmallDisk {
  readonly path: string;
  /** Writes until nothing more fits. */
  readonly fill: () => Promise<void>;
  /** Frees the space that `fill` took. */
  readonly free: () => void;
  readonly remount: (options: string) => void;
  /** Resizes the disk so that this much is free, whatever is on it by now. */
  readonly leaveFree: (megabytes: number) => void;
  readonly dispose: () => void;
}

const MEGABYTE = 1024 * 1024;

/** Whether this user may mount anything: usually root outside containers. */
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
  const path = mkdtempSync(join(tmpdir(), 'bough-disk-'));
  try {
    mount(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'bough-test', path]);
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  const remount = (options: string): void => mount(['-o', `remount,${options}`, path]);
  const filler = join(path, 'filler');
  return {
    path,
    fill: async () => {
      for (let size = MEGABYTE; size >= 1;) {
        try {
          await appendFile(filler, Buffer.alloc(size));
        } catch {
          // Full for pieces of this size: smaller ones may still fit.
          size >>= 1;
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    remount,
    leaveFree: (free) => {
      const { blocks, bfree, bsize } = statfsSync(path);
      remount(`size=${(blocks - bfree) * bsize + free * MEGABYTE}`);
    },
    dispose: () => {
      execFileSync('umount', [path], { stdio: 'pipe' });
      rmdirSync(path);
    },
  };
}

function mount(args: readonly string[]): void {
  execFileSync('mount', [...args], { stdio: 'pipe' });
}
