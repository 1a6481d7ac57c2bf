import type { Project, TreeNode } from '@bough/core';
import { expect, onTestFinished, test } from 'vitest';
import type { PutBlob } from '../../blobs/index.ts';
import { PIECE_BYTES } from '../../blobs/index.ts';
import { searchIn, seedProject } from '../../contract/build.ts';
import { withFiles } from '../../contract/sections/blobs.ts';
import type { Store } from '../../store.ts';
import type { PostgresStore } from '../index.ts';
import { openPostgresStore } from '../index.ts';
import { statementsOf } from '../testing/statements.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';

const server = useTestServer();

/** Stores on one database, as several servers are. */
async function opened(count = 1) {
  const { options, query } = await server();
  const schema = freshSchema();
  const stores: PostgresStore[] = [];
  for (let at = 0; at < count; at += 1) stores.push(await openPostgresStore(options(schema)));
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await query(`DROP SCHEMA ${schema} CASCADE`);
  });
  const [first] = stores;
  if (first === undefined) throw new Error('no store');
  return {
    store: first,
    stores,
    schema,
    reopen: () => openPostgresStore(options(schema)),
    query: (text: string) => query(text, schema),
  };
}

const put = (store: Store, bytes: Buffer): Promise<PutBlob> =>
  store.blobs.put(
    (async function* () {
      yield await Promise.resolve(bytes);
    })(),
    { limit: 10_000_000 },
  );

async function bytesOf(read: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of read ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function seeded(store: Store, bytes: Buffer): Promise<{ project: Project; node: TreeNode; file: PutBlob }> {
  const { project, branch } = await seedProject(store);
  const file = await put(store, bytes);
  const node = withFiles(project, null, file);
  await store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id });
  return { project, node, file };
}

const FUTURE = '9999-01-01T00:00:00.000Z';

test('PG-40: a blob is rows of pieces outside of the nodes, not compressed, and references are rows', async () => {
  const { store, query } = await opened();
  const { project, node, file } = await seeded(store, Buffer.alloc(2 * PIECE_BYTES + 10, 'a'));
  const pieces = await query('SELECT start::int, length(bytes) AS length FROM blob_pieces ORDER BY start');
  expect(pieces).toStrictEqual([
    { start: 0, length: PIECE_BYTES },
    { start: PIECE_BYTES, length: PIECE_BYTES },
    { start: 2 * PIECE_BYTES, length: 10 },
  ]);
  const storage = await query(
    `SELECT attstorage FROM pg_attribute WHERE attrelid = 'blob_pieces'::regclass AND attname = 'bytes'`,
  );
  expect(storage).toStrictEqual([{ attstorage: 'e' }]);
  expect(await query('SELECT project_id, node_id, hash FROM blob_refs')).toStrictEqual([
    { project_id: project.id, node_id: node.id, hash: file.hash },
  ]);
});

test('PG-40: the database refuses a reference to nothing, and the removal of what is referred to', async () => {
  const { store, query } = await opened();
  const { project, node, file } = await seeded(store, Buffer.from('a picture'));
  const unknown = 'ab'.repeat(32);
  await expect(
    query(`INSERT INTO blob_refs VALUES ('${project.id}', '${node.id}', '${unknown}')`),
  ).rejects.toMatchObject({ constraint: 'blob_refs_hash_fkey' });
  await expect(query(`INSERT INTO blob_refs VALUES ('elsewhere', '${node.id}', '${file.hash}')`)).rejects.toMatchObject(
    { constraint: 'blob_refs_node' },
  );
  await expect(query(`DELETE FROM blobs WHERE hash = '${file.hash}'`)).rejects.toMatchObject({ code: '23503' });
  await store.deleteNode(project.id, node.id, 'cascade', { id: 'entry', deletedAt: '2026-03-01T12:00:00.000Z' });
  expect(await query('SELECT FROM blob_refs')).toHaveLength(0);
  await expect(query(`DELETE FROM blobs WHERE hash = '${file.hash}'`)).rejects.toMatchObject({
    constraint: 'trash_blobs_hash_fkey',
  });
});

test('PG-41: what uploads left that were cut off is swept once it is old; none of it can be read', async () => {
  const { store, query } = await opened();
  async function* endless(): AsyncIterable<Uint8Array> {
    for (;;) yield await Promise.resolve(Buffer.alloc(PIECE_BYTES));
  }
  // As a killed server leaves it: pieces, and no hash.
  const stopped = new Promise<void>((resolve) => {
    void (async () => {
      const source = endless()[Symbol.asyncIterator]();
      let count = 0;
      const cutOff: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            if ((count += 1) <= 4) return source.next();
            resolve();
            return new Promise(() => undefined);
          },
        }),
      };
      await store.blobs.put(cutOff, { limit: Number.MAX_SAFE_INTEGER });
    })();
  });
  await stopped;
  expect((await query('SELECT FROM blob_pieces')).length).toBeGreaterThan(0);
  await store.blobs.sweep({ putBefore: FUTURE });
  expect((await query('SELECT FROM blob_pieces')).length).toBeGreaterThan(0);
  await query('UPDATE blobs SET put_at = put_at - 49 * 60 * 60 * 1000');
  expect(await store.blobs.sweep({ putBefore: FUTURE })).toStrictEqual([]);
  expect(await query('SELECT FROM blob_pieces')).toHaveLength(0);
  expect(await query('SELECT FROM blobs')).toHaveLength(0);
});

test('PG-42: servers that put, refer to and sweep one file at once lose none and keep one copy', async () => {
  const { stores, store, query } = await opened(3);
  const { project } = await seedProject(store);
  for (let round = 0; round < 10; round += 1) {
    const bytes = Buffer.concat([Buffer.alloc(PIECE_BYTES, 'x'), Buffer.from(`round ${round}`)]);
    const results = await Promise.allSettled(
      stores.flatMap((one, at) => [
        put(one, bytes).then(async (file) => {
          await one.appendNodes(project.id, [withFiles(project, null, file)]);
          return file;
        }),
        stores[(at + 1) % stores.length]?.blobs.sweep({ putBefore: FUTURE }),
      ]),
    );
    for (const [at, result] of results.entries()) {
      if (result.status === 'rejected') expect(result.reason, String(at)).toMatchObject({ code: 'blob_missing' });
    }
    const stored = results.filter((result, at) => at % 2 === 0 && result.status === 'fulfilled');
    const { hash } = await put(store, bytes);
    const read = await store.blobs.read(project.id, hash);
    expect(read !== undefined).toBe(stored.length > 0);
    if (read !== undefined) expect((await bytesOf(read.bytes)).equals(bytes)).toBe(true);
    expect(await query(`SELECT FROM blobs WHERE hash = '${hash}'`)).toHaveLength(1);
    expect(await query(`SELECT FROM blob_pieces JOIN blobs ON blob_id = id WHERE hash = '${hash}'`)).toHaveLength(2);
  }
  expect(await query('SELECT FROM blobs WHERE hash IS NULL')).toHaveLength(0);
});

test('ST-109: neither opening a store nor reading conversations reads blobs, or lists them', async () => {
  const { store, query, reopen } = await opened();
  const { project, node } = await seeded(store, Buffer.from('a picture'));
  // A statement that named one of these would fail.
  for (const table of ['blobs', 'blob_pieces', 'blob_refs', 'trash_blobs'])
    await query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  const again = await reopen();
  try {
    const sent = await statementsOf(async () => {
      expect((await again.history(project.id, { tip: node.id, limit: 10 })).nodes).toStrictEqual([node]);
      expect(await searchIn(again, project, 'look')).toStrictEqual([node.id]);
      expect((await again.readContext(project.id, node.id, 'wire', 'slot')).nodes).toStrictEqual([node]);
      expect((await again.graph(project.id)).nodes).toHaveLength(1);
    });
    expect(sent.filter(({ text }) => /\bblob/.test(text))).toStrictEqual([]);
  } finally {
    await again.close();
  }
});

test('ST-110: damaged bytes are not handed out whole, and putting the file again mends it', async () => {
  const { store, query } = await opened();
  const bytes = Buffer.alloc(PIECE_BYTES + 5, 'b');
  const { project, file } = await seeded(store, bytes);
  const damage = [`UPDATE blob_pieces SET bytes = 'xxxxx' WHERE start > 0`, `DELETE FROM blob_pieces WHERE start > 0`];
  for (const statement of damage) {
    await query(statement);
    const read = await store.blobs.read(project.id, file.hash);
    await expect(bytesOf(read?.bytes)).rejects.toMatchObject({ code: 'blob_damaged', hash: file.hash });
    await put(store, bytes);
    expect((await bytesOf((await store.blobs.read(project.id, file.hash))?.bytes)).equals(bytes)).toBe(true);
  }
});
