import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { type Commit, parseCommit } from '../objects/commit-object.ts';
import { createObjectBatch, type ObjectBatch } from '../objects/object-batch.ts';
import { objectId } from '../objects/object.ts';
import { readLooseObject } from '../objects/read-loose.ts';
import { parseTree, type Tree } from '../objects/tree.ts';
import { createObjectReader, type ObjectType } from '../process/object-reader.ts';
import { type GitPlace, runGit } from '../process/run.ts';
import { moveRefs, type RefMove } from '../refs/move.ts';
import { readRefs } from '../refs/read.ts';
import { isOid } from '../refs/value.ts';

/** One git repository: objects in and out, refs by compare and set. Knows nothing of conversations. */
export interface Repository extends GitPlace {
  readonly readCommit: (oid: string) => Promise<Commit>;
  readonly readTree: (oid: string) => Promise<Tree>;
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** Remembers a tree that was just made, so that the next change to it is not a read. */
  readonly keepTree: (oid: string, tree: Tree) => void;
  readonly newObjects: () => ObjectBatch;
  readonly listRefs: () => Promise<ReadonlyMap<string, string>>;
  readonly moveRefs: (moves: readonly RefMove[]) => Promise<void>;
  /** Asks git about objects, and gives what it prints. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  /** Lets go of the processes. Whoever still reads is told why. */
  readonly close: (reason: Error) => Promise<void>;
}

/** Trees in memory: the directories along which writes happen, and those of a long read. */
const KEPT_TREES = 4000;

/** git processes of a project that nobody uses are ended after this time. */
const IDLE_MS = 60_000;

/** `own` is where git works (`process/own-directory.ts`). */
export function createRepository(directory: string, own: string): Repository {
  const gitDir = join(directory, '.git');
  const reader = createObjectReader({ gitDir, own });
  const trees = new Map<string, Tree>();
  let idle: NodeJS.Timeout | undefined;
  let closed: Error | null = null;

  /** The next use starts processes anew. */
  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    await reader.close();
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

  const damaged = (oid: string, what: string): StoreError =>
    new StoreError(
      'corrupt_object',
      `${gitDir} ${oid}`,
      `The object ${oid} in ${gitDir} ${what}. Run "git fsck" there, and restore it from a clone or a backup.`,
    );

  const read = async (oid: string, type: ObjectType): Promise<Buffer> => {
    // What a commit or a tree names is anything, until it is seen to be an id: as a name it would be a path, or a
    // question to git.
    if (!isOid(oid)) throw damaged(oid, 'is no id of an object');
    // git is started for what is packed, and from then on answers faster than a file that may not be there.
    const loose = reader.isResting() ? await readLooseObject(gitDir, oid) : null;
    const object = loose ?? (await busy(() => reader.read(oid)));
    if (object?.type !== type) {
      if (closed) throw closed;
      throw damaged(oid, 'is missing');
    }
    // Texts are kept by id for all projects together: content under a wrong id would show up in another one.
    if (objectId(type, [object.content]) !== oid) throw damaged(oid, 'is not what its id says');
    return object.content;
  };

  const keepTree = (oid: string, tree: Tree): void => {
    trees.delete(oid);
    trees.set(oid, tree);
    const oldest = trees.size > KEPT_TREES ? trees.keys().next().value : undefined;
    if (oldest !== undefined) trees.delete(oldest);
  };

  return {
    gitDir,
    own,
    readCommit: async (oid) => parseCommit(await read(oid, 'commit')),
    readBlob: (oid) => read(oid, 'blob'),
    readTree: async (oid) => {
      const kept = trees.get(oid);
      if (kept) return kept;
      const tree = parseTree(await read(oid, 'tree'));
      if (tree === null) throw damaged(oid, 'is no tree');
      keepTree(oid, tree);
      return tree;
    },
    keepTree,
    newObjects: () => createObjectBatch(gitDir),
    listRefs: () => readRefs(gitDir),
    moveRefs: (moves) => moveRefs(gitDir, moves),
    ask: (args, input) => runGit({ gitDir, own }, args, input),
    close: async (reason) => {
      closed = reason;
      await rest();
    },
  };
}
