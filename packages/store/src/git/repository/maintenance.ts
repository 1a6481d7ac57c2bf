import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { NOTHING_WRITTEN, type Written } from '../objects/object-batch.ts';
import { createOwnDirectory } from '../process/own-directory.ts';
import { type GitPlace, spawnGit } from '../process/run.ts';
import { packRefs } from '../refs/pack.ts';
import { readRefs } from '../refs/read.ts';
import { isOid } from '../refs/value.ts';
import type { Texts } from '../tree/texts.ts';
import { packTexts } from './pack-texts.ts';

// Every write leaves loose objects, and every added line leaves another whole copy of `nodes.jsonl`. Packed, the
// versions of a file take one copy and a few bytes each: without packing, n nodes would need the space of n²/2.

/** When packing is worth it. */
export interface PackingLimits {
  readonly looseBytes: number;
  readonly looseObjects: number;
  /** From this many on, packs are combined. */
  readonly packs: number;
}

export const PACKING_LIMITS: PackingLimits = { looseBytes: 48 * 1024 * 1024, looseObjects: 3000, packs: 12 };

/** Versions written by this process are packed before git looks; for the rest, few delta candidates are enough. */
const REPACK = [
  '-c',
  'pack.window=4',
  '-c',
  'pack.threads=1',
  '-c',
  'repack.writeBitmaps=false',
  'repack',
  '-d',
  '-l',
  '-n',
  '-q',
];

/** How long deleted objects stay: a process that just wrote an object may not have moved its ref yet. */
const GRACE = '2.weeks.ago';

export interface Maintenance {
  /** To be called after every write; starts packing in the background when it is worth it. */
  readonly wrote: (written: Written) => void;
  /** Resolves when no packing is under way. */
  readonly settled: () => Promise<void>;
  /** Stops packing if it is under way: git leaves everything as it was. */
  readonly close: () => Promise<void>;
}

export function createMaintenance(
  { gitDir, own }: GitPlace,
  texts: Pick<Texts, 'get'>,
  limits: PackingLimits = PACKING_LIMITS,
): Maintenance {
  let waiting: Written = NOTHING_WRITTEN;
  let looked = false;
  let stop: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let closed = false;

  const isWorthIt = ({ bytes, count }: Written): boolean => bytes >= limits.looseBytes || count >= limits.looseObjects;

  const run = async (where: string, args: readonly string[]): Promise<void> => {
    if (closed) return;
    const child = spawnGit({ gitDir, own: where }, args);
    child.stdin.end();
    child.stdout.resume();
    child.stderr.resume();
    stop = () => child.kill('SIGTERM');
    // A failure leaves loose objects, which are as good as packed ones.
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    stop = null;
  };

  const pack = async (): Promise<void> => {
    const { texts: written } = waiting;
    waiting = NOTHING_WRITTEN;
    if (closed) return;
    await packTexts(gitDir, written, texts.get);
    await run(own, ['prune-packed', '--quiet']);
    const full = (await packsIn(gitDir)) >= limits.packs;
    if (full) await packRefs(gitDir);
    const place = await createOwnDirectory(own, await tipsOf(gitDir));
    try {
      if (!full) await run(place, REPACK);
      else if (await hasOtherUsers(gitDir)) await run(place, [...REPACK, '-a', '-k']);
      else {
        await run(place, [...REPACK, '-A', `--unpack-unreachable=${GRACE}`]);
        await run(place, ['prune', `--expire=${GRACE}`]);
      }
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  };

  const work = async (): Promise<void> => {
    // Objects left by earlier processes count too: each process may have ended long before packing was worth it.
    if (!looked) waiting = sum(waiting, await estimateLoose(gitDir));
    looked = true;
    while (isWorthIt(waiting)) await pack();
  };

  return {
    wrote: (written) => {
      waiting = sum(waiting, written);
      if (closed || running !== null || (looked && !isWorthIt(waiting))) return;
      running = work()
        // Packing is optional: a later write tries again.
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

/** What must not be dropped: every ref, and a detached `HEAD`. */
async function tipsOf(gitDir: string): Promise<readonly string[]> {
  const head = (await readIfThere(join(gitDir, 'HEAD')))?.toString('utf8').trim() ?? '';
  return [...(await readRefs(gitDir)).values(), ...(isOid(head) ? [head] : [])];
}

/**
 * Whether objects may be needed by more than the refs: in a repository with a work tree, or with logs of its refs.
 * There nothing is dropped, whatever its age; the owner's `git gc` knows what may be removed.
 */
async function hasOtherUsers(gitDir: string): Promise<boolean> {
  const names = await namesIn(gitDir);
  return ['index', 'logs', 'worktrees'].some((name) => names.includes(name));
}

const sum = (a: Written, b: Written): Written => ({
  bytes: a.bytes + b.bytes,
  count: a.count + b.count,
  texts: [...a.texts, ...b.texts],
});

/** Estimated as git does: objects are spread evenly over 256 directories, so one is counted. */
async function estimateLoose(gitDir: string): Promise<Written> {
  const directory = join(gitDir, 'objects', '17');
  const names = await namesIn(directory);
  const sizes = await Promise.all(names.map(async (name) => sizeOf(join(directory, name))));
  return { bytes: sizes.reduce((total, size) => total + size, 0) * 256, count: names.length * 256, texts: [] };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    // Packed by somebody in the meantime.
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
