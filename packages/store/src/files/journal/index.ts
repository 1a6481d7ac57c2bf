import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { hasCode, malformed } from '../../on-disk/disk/index.ts';
import { MAX_FILE_BYTES, readInside, requireNoLink } from '../../on-disk/inside/index.ts';
import { applyChanges } from './apply.ts';
import type { Home } from './home.ts';
import type { QueuedChange } from './journal.ts';
import { openJournal, readJournal } from './journal.ts';
import { createPending } from './pending.ts';

export type { FileChange } from './change.ts';
export * from './home.ts';
export type { QueuedChange } from './journal.ts';
export { isSegment } from './journal.ts';

/**
 * Files that change together. `commit` is durable and whole when it resolves; the files themselves follow in the
 * background, and `read` always gives what was committed.
 */
export interface FileSet {
  readonly commit: (changes: readonly QueuedChange[]) => Promise<void>;
  /** Null where there is no such file. */
  readonly read: (path: string) => Promise<string | null>;
  /** The same for a file that was written with `gzip`. */
  readonly readCompressed: (path: string) => Promise<string | null>;
  /** Resolves when every committed change is in its file. */
  readonly settle: () => Promise<void>;
  /** The same, and the journal is empty afterwards: no earlier change will be replayed after a crash. */
  readonly checkpoint: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const decompress = promisify(gunzip);

/** The journal starts a new segment at this size, so that a crash never leaves much to replay. */
const SEGMENT_BYTES = 1 << 20;

/** Files are written after a short delay: what changes repeatedly meanwhile, a log or a parent, is written once. */
const SETTLE_AFTER_MS = 50;

/** Brings the files of a store to the last acknowledged state, after a crash or not. */
export async function recoverFiles(home: Home): Promise<void> {
  const { own, modes } = home;
  const temporaryDirectory = join(own, 'tmp');
  const journal = join(own, 'journal');
  const pending = createPending();
  // Before anything is touched: a foreign journal is an error, and everything stays as it is.
  if (await requireNoLink(journal)) pending.add(await readJournal(journal, await home.secret.find()));
  await rm(temporaryDirectory, { recursive: true, force: true });
  await mkdir(temporaryDirectory, { recursive: true, mode: modes.directory });
  await applyChanges(home, temporaryDirectory, pending.take());
  await rm(journal, { recursive: true, force: true });
}

/** What a store opened for reading can do. */
export type FileReader = Pick<FileSet, 'read' | 'readCompressed'>;

export function fileReader(directory: string): FileReader {
  return {
    read: (path) => readInside(directory, path, (bytes) => bytes.toString('utf8')),
    readCompressed: async (path) => {
      const bytes = await readInside(directory, path, (found) => found);
      if (bytes === null) return null;
      try {
        return (await decompress(bytes, { maxOutputLength: MAX_FILE_BYTES })).toString('utf8');
      } catch (error) {
        const tooLarge = hasCode(error, 'ERR_BUFFER_TOO_LARGE');
        const problem = tooLarge ? `it unpacks to more than ${MAX_FILE_BYTES} bytes.` : 'it is not a whole gzip file.';
        throw malformed(join(directory, path), problem, error);
      }
    },
  };
}

/** `sizes`: the lengths of the files that are appended to. */
export async function openFileSet(home: Home, sizes: Map<string, number>): Promise<FileSet> {
  const { directory, own } = home;
  const temporaryDirectory = join(own, 'tmp');
  const stored = fileReader(directory);
  const pending = createPending();
  let inFlight = createPending();
  const journal = await openJournal(join(own, 'journal'), pending.add, sizes, home);
  let settling: Promise<void> | null = null;
  let failure: unknown = null;

  async function pass(everything: boolean): Promise<void> {
    // Rotate first: everything in the older segments is then pending or already in the files.
    const segment = everything || journal.size() > SEGMENT_BYTES ? await journal.rotate() : null;
    const changes = pending.take();
    inFlight = createPending();
    inFlight.add(changes);
    try {
      await applyChanges(home, temporaryDirectory, changes);
    } catch (error) {
      // Nothing is lost: the journal has it. Put back before what came meanwhile, for the next attempt.
      const newer = pending.take();
      pending.add(changes);
      pending.add(newer);
      throw error;
    } finally {
      inFlight = createPending();
    }
    if (segment !== null) await journal.forget(segment);
  }

  /** One pass at a time; the next commit retries a failed pass, and is refused if that fails too. */
  async function work(everything: boolean): Promise<void> {
    // Whoever started the other pass hears of its failure; this one only waits until it is done.
    for (let other = settling; other; other = settling) await other.catch(() => undefined);
    settling = pass(everything);
    try {
      await settling;
      failure = null;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      settling = null;
    }
  }

  let timer: NodeJS.Timeout | null = null;
  let background: Promise<void> = Promise.resolve();

  async function workLater(): Promise<void> {
    timer = null;
    try {
      await work(false);
    } catch (error) {
      failure = error;
    }
    if (!pending.isEmpty()) schedule();
  }

  function schedule(): void {
    if (timer !== null || failure !== null) return;
    timer = setTimeout(() => {
      background = workLater();
    }, SETTLE_AFTER_MS);
    timer.unref();
  }

  const pendingText = (path: string): string | null | undefined => {
    const text = pending.read(path);
    return text === undefined ? inFlight.read(path) : text;
  };

  return {
    commit: async (changes) => {
      if (failure !== null) await work(false);
      await journal.commit(changes);
      schedule();
    },
    read: async (path) => {
      const text = pendingText(path);
      return text === undefined ? stored.read(path) : text;
    },
    readCompressed: async (path) => {
      const text = pendingText(path);
      return text === undefined ? stored.readCompressed(path) : text;
    },
    settle: async () => {
      while (!pending.isEmpty() || settling) await work(false);
    },
    checkpoint: () => work(true),
    close: async () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await background;
      try {
        await work(true);
      } finally {
        await journal.close();
      }
      await rm(temporaryDirectory, { recursive: true, force: true });
      await rm(join(own, 'journal'), { recursive: true, force: true });
      // Nothing that it signed is left: the segments were removed durably.
      await home.secret.forget();
    },
  };
}
