import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { type Commit, parseCommit } from '../objects/commit-object.ts';
import { createObjectBatch, type ObjectBatch } from '../objects/object-batch.ts';
import { objectId } from '../objects/object.ts';
import { readLooseObject } from '../objects/read-loose.ts';
import { readBlobObject, sizeOfBlob, writeBlobObject } from '../objects/stream-blob.ts';
import { parseTree, type Tree } from '../objects/tree.ts';
import { createObjectReader, type GitObject, type ObjectType } from '../process/object-reader.ts';
import { type GitPlace, runGit } from '../process/run.ts';
import { moveRefs, type RefMove } from '../refs/move.ts';
import { readRefs } from '../refs/read.ts';
import { isOid } from '../refs/value.ts';

/** One git repository: reads and writes objects, moves refs by compare and set. Knows nothing of conversations. */
export interface Repository extends GitPlace {
  /** An object of any type. */
  readonly readObject: (oid: string) => Promise<GitObject>;
  readonly readCommit: (oid: string) => Promise<Commit>;
  readonly readTree: (oid: string) => Promise<Tree>;
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** For files of any size: in pieces. */
  readonly writeBlob: (size: number, pieces: AsyncIterable<Uint8Array>) => Promise<string>;
  readonly streamBlob: (oid: string, start?: number) => AsyncIterable<Uint8Array>;
  /** Null where there is no such blob. */
  readonly sizeOfBlob: (oid: string) => Promise<number | null>;
  /** Remembers a tree that was just made, so that the next change to it needs no read. */
  readonly keepTree: (oid: string, tree: Tree) => void;
  readonly newObjects: () => ObjectBatch;
  readonly listRefs: () => Promise<ReadonlyMap<string, string>>;
  readonly moveRefs: (moves: readonly RefMove[]) => Promise<void>;
  /** Asks git about objects, and returns its output. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  /** Stops the processes. Readers still waiting are told why. */
  readonly close: (reason: Error) => Promise<void>;
}

/** How many trees are kept in memory: the directories that writes change, and those of a long read. */
const KEPT_TREES = 4000;

/** The git processes of an unused project are stopped after this time. */
const IDLE_MS = 60_000;

/** `own` is where git works (`process/own-directory.ts`). */
export function createRepository(directory: string, own: string): Repository {
  const gitDir = join(directory, '.git');
  const reader = createObjectReader({ gitDir, own });
  const trees = new Map<string, Tree>();
  let idle: NodeJS.Timeout | undefined;
  let closed: Error | null = null;

  /** Stops the processes; the next use starts new ones. */
  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    await reader.close();
  };

  /** Runs work that uses a process, and postpones stopping the processes. */
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

  // A commit or tree may name anything until it is checked to be an id: used as a name, it could be a path, or a query
  // to git.
  const requireOid = (oid: string): string => {
    if (!isOid(oid)) throw damaged(oid, 'is no id of an object');
    return oid;
  };

  const readObject = async (oid: string): Promise<GitObject> => {
    requireOid(oid);
    // git is started only for packed objects; once it runs, it answers faster than a file that may not exist.
    const loose = reader.isResting() ? await readLooseObject(gitDir, oid) : null;
    const object = loose ?? (await busy(() => reader.read(oid)));
    if (object === null) {
      if (closed) throw closed;
      throw damaged(oid, 'is missing');
    }
    // Texts are kept by id for all projects together: content under a wrong id would show up in another project.
    if (objectId(object.type, [object.content]) !== oid) throw damaged(oid, 'is not what its id says');
    return object;
  };

  const read = async (oid: string, type: ObjectType): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type !== type) throw damaged(oid, 'is missing');
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
    readObject,
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
    writeBlob: (size, pieces) => writeBlobObject(gitDir, size, pieces),
    streamBlob: (oid, start) => readBlobObject({ gitDir, own }, requireOid(oid), start),
    sizeOfBlob: (oid) => sizeOfBlob({ gitDir, own }, requireOid(oid)),
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
