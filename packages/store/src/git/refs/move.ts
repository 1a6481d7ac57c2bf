import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { diskTrouble, eachOf, hasCode, syncDirectory } from '../../on-disk/disk/index.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { type FileLock, lockFile } from './lock.ts';
import { isRefName } from './name.ts';
import { PACKED_REFS, type PackedRef, packedRefsText, readPackedRefs } from './packed.ts';
import { readLooseRef, readRef, resolveRef } from './read.ts';

/** One ref's move. `null` means that the ref does not exist, before or after. */
export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Refs were not where they were expected, or could not be locked. Nothing was moved. */
export class RefsMovedError extends StoreError {
  constructor(gitDir: string, detail: string) {
    super('refs_moved', gitDir, `The refs in ${gitDir} were not moved: ${detail}`);
  }
}

/**
 * Moves refs as git does, so that git and Bough respect each other's locks: every ref is locked and checked, and its
 * new value is written to the lock file; then the new values are put in place, in the order given, deletions last.
 * Compare and set, all or nothing, except that a crash can come between two of them. The git program is not used: it
 * would obey the repository's settings and run its hooks.
 */
export async function moveRefs(gitDir: string, moves: readonly RefMove[]): Promise<void> {
  const locks: FileLock[] = [];
  const lock = async (path: string, name: string): Promise<FileLock> => {
    const held = await lockFile(join(gitDir, path)).catch((error: unknown) => {
      throw hasCode(error, 'ENOTDIR', 'EEXIST') ? inTheWay(gitDir, name) : error;
    });
    if (held === null) throw new RefsMovedError(gitDir, `${name} is locked by another process.`);
    locks.push(held);
    return held;
  };
  try {
    const planned = await planMoves(gitDir, moves);
    const prepared: Prepared[] = [];
    for (const move of planned) prepared.push({ ...move, lock: await lock(move.target, move.ref) });
    const [updates, deletions] = [prepared.filter(({ to }) => to !== null), prepared.filter(({ to }) => to === null)];
    // Held to the end: otherwise somebody could pack a ref just before its file is removed, and it would reappear.
    if (deletions.length > 0) await lock(PACKED_REFS, PACKED_REFS);
    // Read under the locks: from here on nobody can change them.
    const surroundings = surroundingsOf(gitDir, planned);
    for (const move of prepared) await requireUnmoved(surroundings, move);
    const remains = await withoutPacked(surroundings, deletions);
    await eachOf(updates, SYNCS_AT_ONCE, (move) => move.lock.write(`${move.to ?? ''}\n`));

    for (const move of updates) await move.lock.commit();
    await syncPlaces(gitDir, updates);
    if (remains !== null) await replaceFile(join(gitDir, PACKED_REFS), Buffer.from(remains), true);
    if (remains !== null) await syncDirectory(gitDir);
    for (const { target } of deletions) await removeFile(gitDir, target);
    await syncPlaces(gitDir, deletions);
  } catch (error) {
    throw diskTrouble(gitDir, error);
  } finally {
    for (const held of locks) await held.release();
  }
}

const SYNCS_AT_ONCE = 32;

interface PlannedMove extends RefMove {
  /** The ref to change: a different one where `ref` is symbolic. */
  readonly target: string;
}

interface Prepared extends PlannedMove {
  readonly lock: FileLock;
}

async function planMoves(gitDir: string, moves: readonly RefMove[]): Promise<readonly PlannedMove[]> {
  const planned: PlannedMove[] = [];
  const seen = new Set<string>();
  for (const move of moves) {
    if (!isRefName(move.ref)) {
      throw new StoreError(
        'corrupt_ref',
        `${gitDir} ${move.ref}`,
        `"${move.ref}" in ${gitDir} is no name of a ref. Nothing was changed.`,
      );
    }
    // A symbolic ref is itself deleted, but is moved by moving the ref that it names.
    const target = move.to === null ? move.ref : (await resolveRef(gitDir, move.ref)).target;
    if (seen.has(target)) throw new RefsMovedError(gitDir, `${move.ref} was to be moved twice.`);
    seen.add(target);
    planned.push({ ...move, target });
  }
  return planned;
}

interface Surroundings {
  readonly gitDir: string;
  /** Read on first use: most moves are of refs that have files. */
  readonly packed: () => Promise<ReadonlyMap<string, PackedRef>>;
  /** The names that a new ref must fit in with: none may be the directory of another. */
  readonly taken: () => Promise<{ readonly names: ReadonlySet<string>; readonly directories: ReadonlySet<string> }>;
}

function surroundingsOf(gitDir: string, planned: readonly PlannedMove[]): Surroundings {
  const packed = once(() => readPackedRefs(gitDir));
  const taken = once(async () => {
    const given = planned.flatMap(({ target, to }) => (to === null ? [] : [target]));
    const names = new Set([...(await packed()).keys(), ...given]);
    return { names, directories: new Set([...names].flatMap(directoriesOf)) };
  });
  return { gitDir, packed, taken };
}

function directoriesOf(ref: string): readonly string[] {
  const parts = ref.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

async function requireUnmoved(
  { gitDir, packed, taken }: Surroundings,
  { ref, target, from, to }: PlannedMove,
): Promise<void> {
  const own = await readLooseRef(gitDir, target);
  const value =
    own === null ? ((await packed()).get(target)?.oid ?? null) : 'oid' in own ? own.oid : await readRef(gitDir, target);
  if (value !== from) {
    const place = value === null ? 'does not exist' : `stands at ${value}`;
    throw new RefsMovedError(gitDir, `${ref} ${place}, not at ${from ?? 'nothing'}.`);
  }
  if (own !== null || to === null) return;
  if (value === null) {
    const { names, directories } = await taken();
    const isTaken = directories.has(target) || directoriesOf(target).some((directory) => names.has(directory));
    if (isTaken) throw inTheWay(gitDir, ref);
  }
  // A packed ref, too, may have a directory in its place, left by a move that was refused.
  if (!(await removeEmptyDirectories(join(gitDir, target)))) throw inTheWay(gitDir, ref);
}

/** The text of `packed-refs` without the deleted refs; null where it holds none of them. */
async function withoutPacked({ packed }: Surroundings, deletions: readonly PlannedMove[]): Promise<string | null> {
  const gone = new Set(deletions.map(({ target }) => target));
  if (gone.size === 0) return null;
  const before = await packed();
  const after = new Map([...before].filter(([ref]) => !gone.has(ref)));
  return after.size === before.size ? null : packedRefsText(after);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

const inTheWay = (gitDir: string, ref: string): RefsMovedError =>
  new RefsMovedError(gitDir, `${ref} cannot be beside a ref that has its name as a directory, or is one.`);

/** A packed ref has no file; there may be an empty directory in its place. */
async function removeFile(gitDir: string, ref: string): Promise<void> {
  if ((await readLooseRef(gitDir, ref)) !== null) await rm(join(gitDir, ref), { force: true });
}

/** git leaves behind the directories of removed refs. False where one is in use. */
async function removeEmptyDirectories(path: string): Promise<boolean> {
  try {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (!entry.isDirectory() || !(await removeEmptyDirectories(join(path, entry.name)))) return false;
    }
    await rmdir(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

/** Makes an acknowledged move survive a power cut. */
async function syncPlaces(gitDir: string, moves: readonly PlannedMove[]): Promise<void> {
  const directories = new Set(moves.map(({ target }) => dirname(join(gitDir, target))));
  await Promise.all([...directories].map(syncDirectory));
}
