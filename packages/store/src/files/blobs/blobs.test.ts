import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { searchIn, seedProject } from '../../contract/build.ts';
import { withFiles } from '../../contract/sections/blobs.ts';
import type { FilesStore, FilesStoreOptions } from '../index.ts';
import { openFilesStore, readFilesStore } from '../index.ts';

let outer = '';
let directory = '';
let store: FilesStore;
const open = async (options: Partial<FilesStoreOptions> = {}): Promise<FilesStore> =>
  (store = await openFilesStore({ directory, ...options }));
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'bough-blobs-'));
  directory = join(outer, 'store');
});
afterEach(async () => {
  await store.close();
  await rm(outer, { recursive: true });
});

const put = (text: string) =>
  store.blobs.put(
    (async function* () {
      yield await Promise.resolve(Buffer.from(text));
    })(),
    { limit: 1000 },
  );
const fileOf = (hash: string): string => join(directory, '.bough/blobs', hash.slice(0, 2), hash);
async function textOf(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('FS-25: a blob is a plain file under its hash, shared by all projects, and nothing lies beside it', async () => {
  await open();
  const file = await put('a picture');
  for (let count = 0; count < 2; count += 1) {
    const { project } = await seedProject(store);
    await store.appendNodes(project.id, [withFiles(project, null, file)]);
  }
  await put('a picture');
  await store.close();
  expect(await readFile(fileOf(file.hash), 'utf8')).toBe('a picture');
  const found = (await readdir(directory, { recursive: true })).filter((name) => name.includes(file.hash));
  expect(found).toStrictEqual([`.bough/blobs/${file.hash.slice(0, 2)}/${file.hash}`]);
  expect(await readdir(join(directory, '.bough'))).toStrictEqual(['blobs']);
  await open();
});

test('FS-25: what an upload left when its process was killed is gone after the next start', async () => {
  await open();
  await store.close();
  await mkdir(join(directory, '.bough/tmp'), { recursive: true });
  await writeFile(join(directory, '.bough/tmp/blob-torn'), 'half a pic');
  await open();
  expect(await readdir(join(directory, '.bough/tmp'))).toStrictEqual([]);
});

test('ST-103: an upload is held for 48 hours, and putting it again renews that', async () => {
  let now = Date.UTC(2026, 0, 1);
  const hour = 60 * 60 * 1000;
  await open({ now: () => now });
  const { project } = await seedProject(store);
  const [kept, renewed] = [await put('kept for a while'), await put('renewed')];
  now += 47 * hour;
  await put('renewed');
  expect(await store.blobs.has(null, [kept.hash, renewed.hash])).toHaveLength(2);
  now += 2 * hour;
  expect(await store.blobs.has(null, [kept.hash, renewed.hash])).toStrictEqual(new Set([renewed.hash]));
  await expect(store.appendNodes(project.id, [withFiles(project, null, kept)])).rejects.toMatchObject({
    code: 'blob_missing',
  });
  const putBefore = new Date(now - 48 * hour).toISOString();
  expect(await store.blobs.sweep({ putBefore })).toStrictEqual([kept]);
  await store.appendNodes(project.id, [withFiles(project, null, renewed)]);
});

test('ST-109: neither opening a store nor reading conversations reads blobs, or lists them', async () => {
  await open();
  const { project, branch } = await seedProject(store);
  const file = await put('a picture');
  const node = withFiles(project, null, file);
  await store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id });
  await store.close();
  // Whatever looked at this directory now would fail: it is no directory.
  await rename(join(directory, '.bough/blobs'), join(outer, 'blobs'));
  await writeFile(join(directory, '.bough/blobs'), 'not a directory');
  await open();
  expect(store.problems()).toStrictEqual([]);
  expect((await store.history(project.id, { tip: node.id, limit: 10 })).nodes).toStrictEqual([node]);
  expect(await searchIn(store, project, 'look')).toStrictEqual([node.id]);
  expect((await store.readContext(project.id, node.id, 'wire', 'slot')).nodes).toStrictEqual([node]);
  expect((await store.graph(project.id)).nodes).toHaveLength(1);
  await expect(store.blobs.sweep({ putBefore: '9999-01-01T00:00:00.000Z' })).rejects.toThrow('not a directory');
});

test('ST-110: damaged bytes are not handed out whole, and putting the file again mends it', async () => {
  await open();
  const { project } = await seedProject(store);
  const file = await put('a picture');
  await store.appendNodes(project.id, [withFiles(project, null, file)]);
  await writeFile(fileOf(file.hash), 'a pictvre');
  const read = await store.blobs.read(project.id, file.hash);
  await expect(textOf(read?.bytes)).rejects.toMatchObject({ code: 'blob_damaged', hash: file.hash });
  await put('a picture');
  expect(await textOf((await store.blobs.read(project.id, file.hash))?.bytes)).toBe('a picture');
});

test('FS-26: a link in the place of a blob is not followed', async () => {
  await open();
  const secret = 'a secret of the machine';
  const hash = createHash('sha256').update(secret).digest('hex');
  const { project } = await seedProject(store);
  const file = await put(secret);
  await store.appendNodes(project.id, [withFiles(project, null, file)]);
  await writeFile(join(outer, 'secret'), secret);
  await rm(fileOf(hash));
  await symlink(join(outer, 'secret'), fileOf(hash));
  expect(await store.blobs.read(project.id, file.hash)).toBeUndefined();
  await rm(join(directory, '.bough/blobs', hash.slice(0, 2)), { recursive: true });
  await symlink(outer, join(directory, '.bough/blobs', hash.slice(0, 2)));
  await expect(store.blobs.read(project.id, file.hash)).rejects.toMatchObject({ code: 'link_refused' });
});

test("FS-17: somebody else's directory is read with its files, and nothing is written", async () => {
  await open();
  const { project } = await seedProject(store);
  const [file, unsent] = [await put('a picture'), await put('never sent')];
  await store.appendNodes(project.id, [withFiles(project, null, file)]);
  await store.close();
  const before = await readdir(outer, { recursive: true });
  const reader = await readFilesStore(directory);
  expect(await textOf((await reader.readBlob(project.id, file.hash))?.bytes)).toBe('a picture');
  expect(await reader.readBlob(project.id, unsent.hash)).toBeUndefined();
  expect(await readdir(outer, { recursive: true })).toStrictEqual(before);
  await access(fileOf(unsent.hash));
  await open();
});

test('FS-27: nothing is swept while a file that may refer to it cannot be read', async () => {
  await open();
  const { project } = await seedProject(store);
  const file = await put('a picture');
  const node = withFiles(project, null, file);
  await store.appendNodes(project.id, [node]);
  await store.close();
  const path = join(directory, project.id, 'nodes', `${node.id}.json`);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.slice(0, 50));
  await open();
  expect(await store.blobs.sweep({ putBefore: '9999-01-01T00:00:00.000Z' })).toStrictEqual([]);
  await store.close();
  await writeFile(path, text);
  await open();
  expect(await textOf((await store.blobs.read(project.id, file.hash))?.bytes)).toBe('a picture');
});
