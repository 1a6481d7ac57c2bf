import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildNode, searchIn, seedProject } from '../../contract/build.ts';
import { withFiles } from '../../contract/sections/blobs.ts';
import type { Store } from '../../store.ts';
import { git, openStore, temporaryDirectory } from '../testing/workplace.ts';

const put = (store: Store, text: string) =>
  store.blobs.put(
    (async function* () {
      yield await Promise.resolve(Buffer.from(text));
    })(),
    { limit: 1_000_000 },
  );

async function textOf(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const PICTURE = 'a picture '.repeat(30_000);
const ticket = { id: 'entry', deletedAt: '2026-03-01T12:00:00.000Z' };

/** A project with one message that has a file. */
async function seeded(directory: string) {
  const store = await openStore(directory);
  const { project, branch } = await seedProject(store);
  const file = await put(store, PICTURE);
  const node = withFiles(project, null, file);
  await store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id });
  const repository = join(directory, project.id);
  return { store, project, branch, file, node, repository, path: `blobs/${file.hash.slice(0, 2)}/${file.hash}` };
}

test('GIT-35: a file is an object of the repository: garbage collection keeps it, a clone takes it along', async () => {
  const directory = await temporaryDirectory();
  const { store, project, file, repository, path } = await seeded(directory);
  expect(git(repository, 'cat-file', 'blob', `refs/bough/meta:${path}`).trim()).toBe(PICTURE.trim());
  await store.close();
  git(repository, 'gc', '--quiet', '--prune=now');
  git(repository, 'fsck', '--strict', '--no-progress');
  const elsewhere = await temporaryDirectory();
  git(elsewhere, 'clone', '--quiet', '--mirror', repository, join(project.id, '.git'));
  for (const place of [directory, elsewhere]) {
    const opened = await openStore(place);
    expect((await readdir(join(place, project.id, '.git/objects/pack'))).length).toBeGreaterThan(0);
    const read = await opened.blobs.read(project.id, file.hash);
    expect(read?.size).toBe(PICTURE.length);
    expect(await textOf(read?.bytes)).toBe(PICTURE);
    const later = await opened.blobs.read(project.id, file.hash, PICTURE.length - 8);
    expect(await textOf(later?.bytes)).toBe('picture ');
    for await (const first of (await opened.blobs.read(project.id, file.hash, 1))?.bytes ?? []) {
      expect(first.length).toBeGreaterThan(0);
      break;
    }
  }
});

test('GIT-36: a file is in the tree as long as a message refers to it, or one in the trash', async () => {
  const { store, project, file, node, repository, path } = await seeded(await temporaryDirectory());
  const there = (): string => git(repository, 'ls-tree', '--name-only', 'refs/bough/meta', path).trim();
  await store.deleteNode(project.id, node.id, 'cascade', ticket);
  expect(there()).toBe(path);
  await store.purgeTrash({ id: ticket.id });
  expect(there()).toBe('');
  expect(git(repository, 'log', '--all', '--format=%H', '--', path)).toBe('');
  const again = withFiles(project, null, file);
  await store.appendNodes(project.id, [again]);
  expect(there()).toBe(path);
  await store.deleteNode(project.id, again.id, 'cascade');
  expect(there()).toBe('');
  git(repository, 'fsck', '--strict', '--no-progress');
});

test('ST-109: neither opening a project nor reading conversations reads blobs, or lists them', async () => {
  const directory = await temporaryDirectory();
  const { store, project, file, node, repository, path } = await seeded(directory);
  await store.close();
  // Whatever looked at the blob, or at a directory of blobs, would now find that it is missing.
  const names = ['blobs', path.slice(0, 8), path];
  const objects = names.map((name) => git(repository, 'rev-parse', `refs/bough/meta:${name}`).trim());
  for (const oid of objects) {
    await rm(join(repository, '.git/objects', oid.slice(0, 2), oid.slice(2)));
  }
  await rm(join(directory, '.bough-held'), { recursive: true });
  await writeFile(join(directory, '.bough-held'), 'not a directory');
  const opened = await openStore(directory);
  expect(await opened.listProjects()).toStrictEqual([project]);
  expect((await opened.history(project.id, { tip: node.id, limit: 10 })).nodes).toStrictEqual([node]);
  expect(await searchIn(opened, project, 'look')).toStrictEqual([node.id]);
  expect((await opened.readContext(project.id, node.id, 'wire', 'slot')).nodes).toStrictEqual([node]);
  await opened.appendNodes(project.id, [buildNode(project, node, 'and go on')]);
  await expect(opened.blobs.read(project.id, file.hash)).rejects.toMatchObject({ code: 'corrupt_object' });
});

test('ST-110: damaged bytes are not handed out whole', async () => {
  const directory = await temporaryDirectory();
  const { store, project, file, repository, path } = await seeded(directory);
  const oid = git(repository, 'rev-parse', `refs/bough/meta:${path}`).trim();
  const object = join(repository, '.git/objects', oid.slice(0, 2), oid.slice(2));
  const other = await put(store, PICTURE.replace('picture', 'pictvre'));
  await store.appendNodes(project.id, [withFiles(project, null, other)]);
  const tree = git(repository, 'rev-parse', `refs/bough/meta:blobs/${other.hash.slice(0, 2)}/${other.hash}`).trim();
  await rm(object, { force: true });
  await copyFile(join(repository, '.git/objects', tree.slice(0, 2), tree.slice(2)), object);
  const read = await store.blobs.read(project.id, file.hash);
  await expect(textOf(read?.bytes)).rejects.toMatchObject({ code: 'blob_damaged', hash: file.hash });
});
