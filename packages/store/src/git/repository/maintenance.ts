import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../files/disk/index.ts';
import { spawnGit } from '../process/run.ts';

// Every write leaves loose objects, and every line that is added leaves the whole `nodes.jsonl` once more. Packed, the versions of
// a file are one copy and a few bytes each: without packing, n nodes would need the space of n²/2.

const LOOSE_BYTES = 48 * 1024 * 1024;
const LOOSE_COUNT = 3000;
const PACKS = 12;

export interface Maintenance {
  /** To be told of every write; starts packing in the background when it is worth it. */
  readonly wrote: (written: { readonly bytes: number; readonly count: number }) => void;
  /** Resolves when no packing is under way. */
  readonly settled: () => Promise<void>;
  /** Stops what is under way: git leaves everything as it was. */
  readonly close: () => Promise<void>;
}

export function createMaintenance(gitDir: string): Maintenance {
  let bytes = 0;
  let count = 0;
  let stop: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  const pack = async (): Promise<void> => {
    bytes = 0;
    count = 0;
    // Few candidates per file are enough: the newest version, which is the largest, is the base of all others.
    const settings = ['-c', 'pack.window=4', '-c', 'pack.threads=1', '-c', 'gc.pruneExpire=2.weeks.ago'];
    const full = (await packsIn(gitDir)) >= PACKS;
    if (closed) return;
    const child = spawnGit(gitDir, [...settings, ...(full ? ['gc', '--quiet'] : ['repack', '-d', '-l', '-q'])]);
    child.stdin.end();
    stop = () => child.kill('SIGTERM');
    // A failure leaves loose objects, which are as good as packed ones; the next write tries again.
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    stop = null;
  };

  return {
    wrote: (written) => {
      bytes += written.bytes;
      count += written.count;
      if (closed || stop !== null || (bytes < LOOSE_BYTES && count < LOOSE_COUNT)) return;
      stop = () => undefined;
      running = pack();
    },
    settled: () => running,
    close: async () => {
      closed = true;
      stop?.();
      await running;
    },
  };
}

async function packsIn(gitDir: string): Promise<number> {
  try {
    return (await readdir(join(gitDir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
