import { readdir, stat } from 'node:fs/promises';
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
  let looked = false;
  let stop: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let closed = false;

  const work = async (): Promise<void> => {
    // What earlier processes have left counts too: each of them may have ended long before it was worth it.
    const left = looked ? { bytes: 0, count: 0 } : await estimateLoose(gitDir);
    looked = true;
    bytes += left.bytes;
    count += left.count;
    if (bytes >= LOOSE_BYTES || count >= LOOSE_COUNT) await pack();
  };

  const pack = async (): Promise<void> => {
    bytes = 0;
    count = 0;
    // Few candidates per file are enough: the newest version, which is the largest, is the base of all others.
    const settings = ['-c', 'pack.window=4', '-c', 'pack.threads=1', '-c', 'gc.pruneExpire=2.weeks.ago'];
    const full = (await packsIn(gitDir)) >= PACKS;
    if (closed) return;
    const child = spawnGit(gitDir, [...settings, ...(full ? ['gc', '--quiet'] : ['repack', '-d', '-l', '-q'])]);
    child.stdin.end();
    child.stdout.resume();
    child.stderr.resume();
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
      if (closed || running !== null || (looked && bytes < LOOSE_BYTES && count < LOOSE_COUNT)) return;
      running = work()
        // Packing is a courtesy: what it could not do, the next write tries again.
        .catch((error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)))
        .finally(() => {
          running = null;
        });
    },
    settled: async () => {
      await running;
    },
    close: async () => {
      closed = true;
      stop?.();
      await running;
    },
  };
}

/** As git itself estimates it: objects are spread evenly over 256 directories, and one is looked into. */
async function estimateLoose(gitDir: string): Promise<{ readonly bytes: number; readonly count: number }> {
  const directory = join(gitDir, 'objects', '17');
  const names = await namesIn(directory);
  const sizes = await Promise.all(names.map(async (name) => sizeOf(join(directory, name))));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0) * 256, count: names.length * 256 };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    // Packed by somebody meanwhile.
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

async function packsIn(gitDir: string): Promise<number> {
  return (await namesIn(join(gitDir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
