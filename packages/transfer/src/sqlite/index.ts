import { BoughError } from '@bough/core';
import { constants } from 'node:fs';
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type * as Sqlite from 'node-sqlite3-wasm';
import { basename, join } from 'node:path';

export type SqliteValue = number | bigint | string | Uint8Array | null;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

export interface SqliteOptions {
  /** Where the copy lies; the system's directory for temporary files where none is named. */
  readonly temporaryDir?: string | undefined;
  /** What the database may have together with what is not yet written into it. */
  readonly maxBytes?: number | undefined;
}

/** A database of another program, as it was when it was opened. */
export interface SqliteFile {
  /** The names of its tables. */
  readonly tables: () => readonly string[];
  /** One row after the other. Values are bound, never written into the statement. */
  readonly rows: (sql: string, ...values: readonly (string | number)[]) => IterableIterator<SqliteRow>;
  /** Removes the copy. */
  readonly close: () => Promise<void>;
}

export class SqliteError extends BoughError {
  constructor(path: string, problem: string, cause?: unknown) {
    super('unknown_source', `${basename(path)}: ${problem}`, { cause });
  }
}

const HEADER = 'SQLite format 3\0';
/** What SQLite keeps beside a database: writes that are not in it yet, or that must be undone. */
const BESIDE = ['-wal', '-journal'] as const;
const TRIES = 5;

/** Only a plain file is opened: opening a pipe would wait for whoever writes to it. */
export async function isSqlite(path: string): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return false;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return bytesRead === HEADER.length && buffer.toString('latin1') === HEADER;
  } finally {
    await file.close();
  }
}

/**
 * Reads a copy: opening a database may lock it, and may write into it what lies beside it. The copy can be read while
 * the program that it belongs to goes on.
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<SqliteFile> {
  const directory = await mkdtemp(join(options.temporaryDir ?? tmpdir(), 'bough-sqlite-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, 'copy.db');
    await copyWhole(path, copy, options.maxBytes ?? Number.MAX_SAFE_INTEGER);
    const sqlite = await load();
    const database = new sqlite.Database(copy, { fileMustExist: true });
    const close = async (): Promise<void> => {
      if (database.isOpen) database.close();
      await remove();
    };
    const readable = <Result>(read: () => Result): Result => {
      try {
        return read();
      } catch (error) {
        throw new SqliteError(path, `It cannot be read as a SQLite database (${messageOf(error)}).`, error);
      }
    };
    try {
      // Without shared memory a database with a write-ahead log can only be opened by one alone. No function that a
      // stranger's schema names is run.
      readable(() => database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF'));
      const rows = function* (sql: string, ...values: readonly (string | number)[]): Generator<SqliteRow, void> {
        const statement = readable(() => database.prepare(sql));
        try {
          const found = readable(() => statement.iterate([...values]));
          for (let next = readable(() => found.next()); next.done !== true; next = readable(() => found.next()))
            yield plain(next.value);
        } finally {
          statement.finalize();
        }
      };
      const names = [...rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")];
      const tables = names.map(({ name }) => String(name));
      return { tables: () => tables, rows, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Loaded when it is needed: it takes a while, and most programs never read such a file. */
async function load(): Promise<typeof Sqlite> {
  try {
    return (await import('node-sqlite3-wasm')).default;
  } catch (error) {
    throw new BoughError(
      'not_installed',
      'Reading SQLite files takes the package "node-sqlite3-wasm", which is not installed.',
      { cause: error },
    );
  }
}

/** Values of a row only: without `expand` there is nothing else. */
function plain(row: Readonly<Record<string, unknown>>): SqliteRow {
  const values: Record<string, SqliteValue> = {};
  for (const [name, value] of Object.entries(row)) {
    const isValue = value === null || ['number', 'bigint', 'string'].includes(typeof value);
    if (isValue || value instanceof Uint8Array) values[name] = value as SqliteValue;
  }
  return values;
}

/** Copied again where somebody wrote meanwhile: the parts of two states do not fit together. */
async function copyWhole(path: string, copy: string, maxBytes: number): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const before = await stateOf(path);
    if (before.size > maxBytes)
      throw new BoughError('too_large', `${basename(path)} has ${before.size} bytes, and ${maxBytes} are allowed.`);
    for (const part of ['', ...BESIDE]) await copyPart(`${path}${part}`, `${copy}${part}`);
    if ((await stateOf(path)).mark === before.mark) return;
  }
  throw new SqliteError(path, 'It is being written all the time. End the program that writes it, and try again.');
}

async function stateOf(path: string): Promise<{ readonly mark: string; readonly size: number }> {
  const parts = await Promise.all(['', ...BESIDE].map((part) => stat(`${path}${part}`).catch(() => null)));
  return {
    mark: parts.map((part) => `${part?.size}/${part?.mtimeMs}/${part?.ino}`).join(' '),
    size: parts.reduce((sum, part) => sum + (part?.size ?? 0), 0),
  };
}

/** What is not there is not copied; a link is not followed. */
async function copyPart(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (source === null) return;
  try {
    if ((await source.stat()).isFile())
      await writeFile(to, source.createReadStream({ autoClose: false }), { flag: 'wx', mode: 0o600 });
  } finally {
    await source.close();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
