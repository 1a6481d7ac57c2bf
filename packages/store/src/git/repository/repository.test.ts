import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildReply, seedProject, seedTurn } from '../../contract/build.ts';
import { snapshotProject } from '../../contract/snapshot.ts';
import { createObjectBatch } from '../objects/object-batch.ts';
import { objectId } from '../objects/object.ts';
import { fsck, git, openStore, temporaryDirectory } from '../testing/workplace.ts';
import { createMaintenance } from './maintenance.ts';
import { readRefs } from './read-refs.ts';

const looseIn = (directory: string): number => Number(git(directory, 'count-objects').split(' ')[0]);
const packsIn = async (directory: string): Promise<number> =>
  (await readdir(join(directory, '.git/objects/pack'))).filter((name) => name.endsWith('.pack')).length;

describe('GIT-11: packing', () => {
  test('GIT-11: versions of a path are packed to little more than one, while writing goes on', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    let tip = null;
    const noise = (): string => Array.from({ length: 4000 }, () => Math.random().toString(36).slice(2, 8)).join(' ');
    for (let index = 0; index < 12; index += 1) {
      const node = buildReply(project, tip, noise());
      await store.appendNodes(project.id, [node], { branchId: branch.id, expected: tip?.id ?? null, next: node.id });
      tip = node;
    }
    const sizeOf = (key: string): number =>
      Number(new RegExp(`^${key}: (\\d+)`, 'm').exec(git(directory, 'count-objects', '-v'))?.[1]);
    const before = sizeOf('size');
    const maintenance = createMaintenance(join(directory, '.git'));
    maintenance.wrote({ bytes: 2 ** 30, count: 0 });
    const last = await seedTurn(store, project, branch, tip?.id ?? null);
    await maintenance.settled();
    await maintenance.close();
    expect(await packsIn(directory)).toBe(1);
    expect(sizeOf('size-pack')).toBeLessThan(before / 4);
    expect((await store.path(project.id, last.reply.id)).length).toBe(14);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-11: what earlier processes left loose is packed too', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    const gitDir = join(root, project.id, '.git');
    // One of 256 directories is looked into: a dozen objects there stand for thousands.
    const objects = createObjectBatch(gitDir);
    for (let found = 0, index = 0; found < 12; index += 1) {
      const content = Buffer.from(`object ${index}`);
      if (!objectId('blob', [content]).startsWith('17')) continue;
      objects.add('blob', content);
      found += 1;
    }
    await objects.flush();
    const maintenance = createMaintenance(gitDir);
    maintenance.wrote({ bytes: 0, count: 1 });
    await maintenance.settled();
    expect(await packsIn(join(root, project.id))).toBe(1);
  });

  test('GIT-11: many packs become one, and nothing that was written is lost', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    let tip = null;
    for (let index = 0; index < 14; index += 1) {
      tip = (await seedTurn(store, project, branch, tip)).reply.id;
      const maintenance = createMaintenance(join(directory, '.git'));
      maintenance.wrote({ bytes: 0, count: 1_000_000 });
      await maintenance.settled();
    }
    const before = await snapshotProject(store, project.id);
    expect(await packsIn(directory)).toBeLessThan(4);
    expect(looseIn(directory)).toBeLessThan(60);
    await store.close();
    const again = await openStore(root);
    expect(await snapshotProject(again, project.id)).toStrictEqual(before);
    expect([...(await readRefs(join(directory, '.git'))).keys()]).toStrictEqual(['refs/bough/meta', 'refs/heads/main']);
  });
});

describe('GIT-9: refs', () => {
  test('GIT-9: loose, packed and symbolic refs are read as git reads them', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    const expected = (): Map<string, string> =>
      new Map(
        git(directory, 'for-each-ref', '--format=%(refname) %(objectname)')
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
    git(directory, 'pack-refs', '--all');
    await seedTurn(store, project, branch, null);
    git(directory, 'tag', '-m', 'annotated', 'v1', 'main');
    expect(new Map(await readRefs(join(directory, '.git')))).toStrictEqual(expected());
    git(directory, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    expect(new Map(await readRefs(join(directory, '.git')))).toStrictEqual(expected());
  });
});
