import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSqlite, openSqlite } from './index.ts';

let directory: string;
let temporaryDir: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-sqlite-test-'));
  temporaryDir = await mkdtemp(join(tmpdir(), 'bough-sqlite-copies-'));
  path = join(directory, 'foreign.db');
});
afterEach(async () => {
  for (const each of [directory, temporaryDir]) await rm(each, { recursive: true, force: true });
});

/** A database whose newest row is in its write-ahead log alone, as a running program leaves it. */
async function written(): Promise<void> {
  const live = join(directory, 'live.db');
  const database = new sqlite.Database(live);
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE said (id INTEGER, words)');
  database.exec("INSERT INTO said VALUES (1, 'one'), (9007199254740993, x'00ff')");
  for (const part of ['', '-wal']) await copyFile(`${live}${part}`, `${path}${part}`);
  database.close();
  for (const name of await readdir(directory))
    if (name.startsWith('live.db')) await rm(join(directory, name), { recursive: true });
}

describe('a database of another program', () => {
  it('IM-70: is read as it is, with what is not written into it yet; neither it nor its folder changes', async () => {
    await written();
    const before = await Promise.all(['', '-wal'].map((part) => readFile(`${path}${part}`)));
    const file = await openSqlite(path, { temporaryDir });
    expect(file.tables()).toEqual(['said']);
    expect([...file.rows('SELECT * FROM said WHERE id >= ? ORDER BY id', 1)]).toEqual([
      { id: 1, words: 'one' },
      { id: 9007199254740993n, words: Uint8Array.of(0, 255) },
    ]);
    expect(() => [...file.rows('SELECT * FROM missing')]).toThrow(/no such table/);
    await file.close();
    expect(await Promise.all(['', '-wal'].map((part) => readFile(`${path}${part}`)))).toEqual(before);
    expect((await readdir(directory)).toSorted()).toEqual(['foreign.db', 'foreign.db-wal']);
    expect(await readdir(temporaryDir)).toEqual([]);
  });

  it('IM-70: that is damaged or too large is told, and leaves no copy behind', async () => {
    await written();
    await expect(openSqlite(path, { temporaryDir, maxBytes: 100 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await isSqlite(path)).toBe(true);
    await writeFile(path, `SQLite format 3\0${'x'.repeat(5000)}`);
    await rm(`${path}-wal`);
    // By its name: an upload lies at a place that is nobody's business.
    await expect(openSqlite(path, { temporaryDir })).rejects.toMatchObject({
      code: 'unknown_source',
      message: expect.stringMatching(/^[^/]+: It cannot be read as a SQLite database/) as string,
    });
    await writeFile(path, 'no database');
    expect(await isSqlite(path)).toBe(false);
    expect(await readdir(temporaryDir)).toEqual([]);
  });
});
