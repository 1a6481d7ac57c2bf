import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Project, TreeNode } from '@bough/core';
import type { SmallDisk } from '@bough/testkit';
import { canMount, mountSmallDisk } from '@bough/testkit';
import { buildNode, buildProject } from '../contract/build.ts';
import type { Store } from '../store.ts';
import type { PostgresStore } from './index.ts';
import { openPostgresStore } from './index.ts';
import { freshSchema, useTestServer } from './testing/server.ts';
import { openForTest } from './testing/database.ts';

const server = useTestServer();

/** A megabyte that cannot be compressed. */
const largeNode = (project: Project): TreeNode => buildNode(project, null, randomBytes(500_000).toString('hex'));

/** Writes until it fails; returns the failure, and what was acknowledged before it. */
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

/** Large enough for a cluster on any system: its size depends on the system's locales and time zones. */
const LARGE = 500;

async function openOnDisk(disk: SmallDisk): Promise<{ store: PostgresStore; project: Project; dataDir: string }> {
  const dataDir = join(disk.path, 'data');
  const store = await openPostgresStore({ dataDir });
  onTestFinished(store.close);
  const project = buildProject();
  await store.createProject(project);
  return { store, project, dataDir };
}

describe.runIf(canMount())('on a disk of our own', () => {
  // With little space left the server's journal fills the disk first, which stops the server; with more, a table does.
  test.for([
    { free: 8, atLeast: 0 },
    { free: 32, atLeast: 1 },
  ])(
    'PG-26: a full disk is told, harms nothing, and is forgotten once there is space again ($free MB are left)',
    async ({ free, atLeast }) => {
      const disk = mountSmallDisk(LARGE);
      onTestFinished(disk.dispose);
      const { store, project, dataDir } = await openOnDisk(disk);
      disk.leaveFree(free);
      const { failure, stored } = await fillUp(store, project);
      expect(failure).toMatchObject({ code: 'disk_full' });
      expect(stored.length).toBeGreaterThanOrEqual(atLeast);
      await expect(store.appendNodes(project.id, [largeNode(project)])).rejects.toMatchObject({ code: 'disk_full' });

      disk.leaveFree(300);
      const last = buildNode(project, null, 'there is space again');
      await vi.waitFor(() => store.appendNodes(project.id, [last]), { timeout: 30_000 });
      const found = (await store.children(project.id, null)).map(({ id }) => String(id));
      expect(found).toStrictEqual([...stored, last.id]);
      await store.close();

      disk.remount('ro');
      await expect(openPostgresStore({ dataDir })).rejects.toMatchObject({ code: 'data_dir_not_writable' });
      disk.remount('rw');
      const again = await openPostgresStore({ dataDir });
      onTestFinished(again.close);
      expect((await again.children(project.id, null)).map(({ id }) => String(id))).toStrictEqual(found);
      await again.close();
    },
  );

  test('PG-31: a store on a full disk says that it cannot write, also while small writes still find a place', async () => {
    const disk = mountSmallDisk(LARGE);
    onTestFinished(disk.dispose);
    const { store, project } = await openOnDisk(disk);
    await store.check();
    disk.leaveFree(1);
    await expect(store.check()).rejects.toMatchObject({ code: 'disk_full' });
    // The journal has room in its last file: this is why a successful write proves nothing.
    await store.updateProject(project.id, { name: 'a small write' });
    disk.leaveFree(100);
    await store.check();
  });

  test('PG-26: a disk that is too small for a cluster is told, and nothing is left on it', async () => {
    const tiny = mountSmallDisk(10);
    onTestFinished(tiny.dispose);
    await expect(openPostgresStore({ dataDir: tiny.path })).rejects.toMatchObject({ code: 'disk_full' });
    tiny.remount(`size=${LARGE}m`);
    const store = await openPostgresStore({ dataDir: tiny.path });
    onTestFinished(store.close);
    await store.createProject(buildProject());
  });
});

// Where nothing can be mounted, this remains: the server's own disk-full error, raised in the middle of a write.
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
