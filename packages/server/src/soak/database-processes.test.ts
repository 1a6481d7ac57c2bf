import { openPostgresStore } from '@bough/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killDatabase, postmasterOf } from './database-processes.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-soak-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it('EN-25: a database that is killed is another process afterwards, and it is found again', async () => {
  const store = await openPostgresStore({ dataDir });
  const cluster = join(dataDir, 'postgres', 'cluster');
  try {
    for (const signal of ['SIGKILL', 'SIGQUIT'] as const) {
      const before = await postmasterOf(cluster);
      await killDatabase(cluster, signal);
      await expect.poll(async () => (await postmasterOf(cluster)).pid, { timeout: 30_000 }).not.toBe(before.pid);
      expect(await store.listProjects()).toEqual([]);
    }
  } finally {
    await store.close();
  }
});
