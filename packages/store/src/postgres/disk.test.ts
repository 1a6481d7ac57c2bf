import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Project, TreeNode } from '@bough/core';
import { buildNode, buildProject } from '../contract/build.ts';
import { StoreError } from '../errors.ts';
import type { Store } from '../store.ts';
import { openPostgresStore } from './index.ts';
import { canMount, mountSmallDisk } from './testing/small-disk.ts';
import { freshSchema, useTestServer } from './testing/server.ts';
import { openForTest } from './testing/database.ts';

const server = useTestServer();

/** A megabyte that no compression makes smaller. */
const largeNode = (project: Project): TreeNode => buildNode(project, null, randomBytes(500_000).toString('hex'));

/** Writes until it fails; the failure, and what was acknowledged before it. */
async function fillUp(store: Store, project: Project): Promise<{ failure: unknown; stored: string[] }> {
  const stored: string[] = [];
  for (;;) {
    const node = largeNode(project);
    try {
      await store.appendNodes(project.id, [node]);
      stored.push(node.id);
    } catch (failure) {
      return { failure, stored };
    }
  }
}

describe.runIf(canMount())('on a disk of our own', () => {
  test('PG-26: a full disk is told, harms nothing, and is forgotten once there is space again', async () => {
    // Small enough to be full soon, large enough for a cluster.
    const disk = mountSmallDisk(100);
    onTestFinished(disk.dispose);
    const dataDir = join(disk.path, 'data');
    const store = await openPostgresStore({ dataDir });
    onTestFinished(store.close);
    const project = buildProject();
    await store.createProject(project);
    const { failure, stored } = await fillUp(store, project);
    expect(failure).toBeInstanceOf(StoreError);
    expect(stored.length).toBeGreaterThan(3);
    // Whatever the first failure hit, a table or the server's journal: the next one knows what it is.
    await expect(store.appendNodes(project.id, [largeNode(project)])).rejects.toMatchObject({ code: 'disk_full' });

    disk.remount('size=400m');
    const last = buildNode(project, null, 'there is space again');
    await vi.waitFor(() => store.appendNodes(project.id, [last]), { timeout: 30_000 });
    const found = (await store.children(project.id, null)).map(({ id }) => String(id));
    expect(found).toStrictEqual(expect.arrayContaining([...stored, last.id]));
    await store.close();

    disk.remount('ro');
    await expect(openPostgresStore({ dataDir })).rejects.toMatchObject({ code: 'data_dir_not_writable' });
    disk.remount('rw');
    const again = await openPostgresStore({ dataDir });
    onTestFinished(again.close);
    expect((await again.children(project.id, null)).map(({ id }) => String(id))).toStrictEqual(found);
    await again.close();
  });

  test('PG-26: a disk that is too small for a cluster is told, and nothing is left on it', async () => {
    const tiny = mountSmallDisk(10);
    onTestFinished(tiny.dispose);
    await expect(openPostgresStore({ dataDir: tiny.path })).rejects.toMatchObject({ code: 'disk_full' });
    tiny.remount('size=200m');
    const store = await openPostgresStore({ dataDir: tiny.path });
    onTestFinished(store.close);
    await store.createProject(buildProject());
  });
});

// Where nothing can be mounted, this is what remains: the server's own answer of a full disk, raised in the midst of a write.
test('PG-26: the answer of a server whose disk is full is told as such, and the write is undone', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  await query(`CREATE FUNCTION ${schema}.full() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE ''could not extend file'' USING ERRCODE = ''53100''; END'`);
  await query(`CREATE TRIGGER full_disk AFTER INSERT ON ${schema}.projects EXECUTE FUNCTION ${schema}.full()`);
  await expect(store.createProject(buildProject())).rejects.toMatchObject({ code: 'disk_full' });
  expect(await store.listProjects()).toStrictEqual([]);
});
