import { isPlainObject } from '@bough/core';
import { readInside } from '@bough/store';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SqliteFile, SqliteOptions, SqliteRow } from '../../../sqlite/index.ts';
import { isSqlite, openSqlite } from '../../../sqlite/index.ts';
import type { ImportProblem } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { textOrNull } from '../../fields.ts';

export interface StoredSession {
  readonly id: string;
  readonly parent: string | null;
  readonly title: string;
  readonly version: string | null;
  readonly created: number | null;
}

export interface StoredMessage {
  readonly id: string;
  readonly value: Fields;
  readonly parts: readonly { readonly id: string; readonly value: Fields }[];
}

/** Where opencode keeps its sessions: a database, or a tree of small files in older versions. */
export interface OpencodeStore {
  readonly sessions: () => Promise<readonly StoredSession[]>;
  /** In the order in which they were said. */
  readonly messages: (session: string) => Promise<readonly StoredMessage[]>;
  readonly problems: ImportProblem[];
  readonly close: () => Promise<void>;
}

const DATABASE = 'opencode.db';

/** The store at a path: the database, the directory that it lies in, or that of the small files. Null: none. */
export async function findOpencode(path: string): Promise<'database' | 'files' | null> {
  const isThere = async (...names: readonly string[]): Promise<boolean> =>
    lstat(join(path, ...names)).then(
      () => true,
      () => false,
    );
  if ((await lstat(path)).isFile()) return basename(path) === DATABASE && (await isSqlite(path)) ? 'database' : null;
  if (await isThere(DATABASE)) return 'database';
  const isFiles = async (...under: readonly string[]): Promise<boolean> =>
    (await isThere(...under, 'session')) && (await isThere(...under, 'message')) && (await isThere(...under, 'part'));
  return (await isFiles('storage')) || (await isFiles()) ? 'files' : null;
}

export async function openOpencode(path: string, options: SqliteOptions): Promise<OpencodeStore | null> {
  const kind = await findOpencode(path);
  if (kind === 'database') {
    const isFile = (await lstat(path)).isFile();
    return openDatabase(isFile ? path : join(path, DATABASE), options);
  }
  if (kind === null) return null;
  const inside = await lstat(join(path, 'storage')).then(
    () => join(path, 'storage'),
    () => path,
  );
  return openFiles(inside);
}

async function openDatabase(path: string, options: SqliteOptions): Promise<OpencodeStore> {
  const database = await openSqlite(path, options);
  const problems: ImportProblem[] = [];
  const valueOf = ({ id, data }: SqliteRow, what: string): Fields => parsed(data, `${what} ${String(id)}`, problems);
  noteNewer(database, problems);
  return {
    problems,
    sessions: async () =>
      [
        ...database.rows('SELECT id, parent_id, title, version, time_created FROM session ORDER BY time_created, id'),
      ].map(({ id, parent_id, title, version, time_created }) => ({
        id: String(id),
        parent: textOrNull(parent_id),
        title: textOrNull(title) ?? '',
        version: textOrNull(version),
        created: typeof time_created === 'number' ? time_created : null,
      })),
    messages: async (session) => {
      const parts = new Map<string, { id: string; value: Fields }[]>();
      const rows = 'SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id';
      for (const row of database.rows(rows, session)) {
        const of = String(row['message_id']);
        const list = parts.get(of) ?? [];
        list.push({ id: String(row['id']), value: valueOf(row, 'part') });
        parts.set(of, list);
      }
      return [
        ...database.rows('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', session),
      ].map((row) => ({
        id: String(row['id']),
        value: valueOf(row, 'message'),
        parts: parts.get(String(row['id'])) ?? [],
      }));
    },
    close: () => database.close(),
  };
}

/** A version that is being developed keeps messages of sessions of its own in another table, and nowhere else. */
function noteNewer(database: SqliteFile, problems: ImportProblem[]): void {
  if (!database.tables().includes('session_message')) return;
  const newer = `SELECT session_id, count(*) AS messages FROM session_message
    WHERE session_id NOT IN (SELECT session_id FROM message) GROUP BY session_id`;
  for (const { session_id, messages } of database.rows(newer))
    problems.push({
      where: `session ${String(session_id)}`,
      message: `Its ${Number(messages)} message(s) are in the table session_message, which Bough does not read.`,
    });
}

function openFiles(directory: string): OpencodeStore {
  const problems: ImportProblem[] = [];
  const valuesIn = async (...under: readonly string[]): Promise<{ id: string; value: Fields }[]> => {
    const names = await readdir(join(directory, ...under)).catch(() => []);
    const found: { id: string; value: Fields }[] = [];
    for (const name of names.filter((each) => each.endsWith('.json')).toSorted()) {
      const place = [...under, name].join('/');
      const value = await readInside(directory, place, (bytes) => parsed(bytes.toString('utf8'), place, problems));
      if (value !== null) found.push({ id: name.slice(0, -'.json'.length), value });
    }
    return found;
  };
  return {
    problems,
    sessions: async () => {
      const projects = await readdir(join(directory, 'session'), { withFileTypes: true });
      const found: StoredSession[] = [];
      for (const project of projects.filter((entry) => entry.isDirectory()))
        for (const { id, value } of await valuesIn('session', project.name)) {
          const time = isPlainObject(value['time']) ? value['time']['created'] : null;
          found.push({
            id,
            parent: textOrNull(value['parentID']),
            title: textOrNull(value['title']) ?? '',
            version: textOrNull(value['version']),
            created: typeof time === 'number' ? time : null,
          });
        }
      return found.toSorted((a, b) => (a.created ?? 0) - (b.created ?? 0));
    },
    messages: async (session) => {
      const messages = await valuesIn('message', session);
      const found: StoredMessage[] = [];
      for (const { id, value } of messages) found.push({ id, value, parts: await valuesIn('part', id) });
      return found;
    },
    close: () => Promise.resolve(),
  };
}

/** One that is damaged costs itself. */
function parsed(data: unknown, where: string, problems: ImportProblem[]): Fields {
  try {
    const value: unknown = JSON.parse(typeof data === 'string' ? data : '');
    if (isPlainObject(value)) return value;
    problems.push({ where, message: 'It is no object.' });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    problems.push({ where, message: error.message });
  }
  return {};
}
