import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { type Commit, parseCommit } from '../objects/commit.ts';
import { createObjectBatch, type ObjectBatch } from '../objects/object-batch.ts';
import { readLooseObject } from '../objects/read-loose.ts';
import { parseTree, type Tree } from '../objects/tree.ts';
import { createObjectReader, type ObjectType } from '../process/object-reader.ts';
import { createRefWriter, type RefMove } from '../process/ref-writer.ts';
import { readRefs } from './read-refs.ts';
import { noteWriter } from './writer-file.ts';

/** One git repository: objects in and out, refs by compare and set. Knows nothing of conversations. */
export interface Repository {
  readonly gitDir: string;
  readonly readCommit: (oid: string) => Promise<Commit>;
  readonly readTree: (oid: string) => Promise<Tree>;
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** Remembers a tree that was just made, so that the next change to it is not a read. */
  readonly keepTree: (oid: string, tree: Tree) => void;
  readonly newObjects: () => ObjectBatch;
  readonly listRefs: () => Promise<ReadonlyMap<string, string>>;
  readonly moveRefs: (moves: readonly RefMove[]) => Promise<void>;
  /** Lets go of the processes. Whoever still reads is told why. */
  readonly close: (reason: Error) => Promise<void>;
}

/** Trees in memory: the directories along which writes happen, and those of a long read. */
const KEPT_TREES = 4000;

/** git processes of a project that nobody uses are ended after this time. */
const IDLE_MS = 60_000;

export function createRepository(directory: string): Repository {
  const gitDir = join(directory, '.git');
  const reader = createObjectReader(gitDir);
  const refs = createRefWriter(gitDir, (pid) => noteWriter(gitDir, pid));
  const trees = new Map<string, Tree>();
  let idle: NodeJS.Timeout | undefined;
  let closed: Error | null = null;

  /** The next use starts processes anew. */
  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    await Promise.all([reader.close(), refs.close()]);
  };

  /** Runs something that uses a process, and puts the end of the processes off. */
  const busy = async <T>(work: () => Promise<T>): Promise<T> => {
    clearTimeout(idle);
    if (closed) throw closed;
    try {
      return await work();
    } finally {
      clearTimeout(idle);
      if (!closed) idle = setTimeout(() => void rest(), IDLE_MS).unref();
    }
  };

  const read = async (oid: string, type: ObjectType): Promise<Buffer> => {
    // git is started for what is packed, and from then on answers faster than a file that may not be there.
    const loose = reader.isResting() ? await readLooseObject(gitDir, oid) : null;
    const object = loose ?? (await busy(() => reader.read(oid)));
    if (object?.type === type) return object.content;
    if (closed) throw closed;
    throw new StoreError(
      'corrupt_object',
      `${gitDir} ${oid}`,
      `The ${type} ${oid} is missing in ${gitDir}. Run "git fsck" there, and restore it from a clone or a backup.`,
    );
  };

  const keepTree = (oid: string, tree: Tree): void => {
    trees.delete(oid);
    trees.set(oid, tree);
    const oldest = trees.size > KEPT_TREES ? trees.keys().next().value : undefined;
    if (oldest !== undefined) trees.delete(oldest);
  };

  return {
    gitDir,
    readCommit: async (oid) => parseCommit(await read(oid, 'commit')),
    readBlob: (oid) => read(oid, 'blob'),
    readTree: async (oid) => {
      const kept = trees.get(oid);
      if (kept) return kept;
      const tree = parseTree(await read(oid, 'tree'));
      keepTree(oid, tree);
      return tree;
    },
    keepTree,
    newObjects: () => createObjectBatch(gitDir),
    listRefs: () => readRefs(gitDir),
    moveRefs: (moves) => busy(() => refs.move(moves)),
    close: async (reason) => {
      closed = reason;
      await rest();
    },
  };
}
