import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { openPostgresStore } from '@bough/store';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from './config/index.ts';
import { readConfig } from './config/index.ts';
import { openStore } from './open-store.ts';

async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-open-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const configIn = (dataDir: string): Config => readConfig({ BOUGH_DATA_DIR: dataDir }, dataDir);

test('SV-17: the private database lies in the data directory, one folder deep', async () => {
  const dataDir = await freshDirectory();
  const store = await openStore(configIn(dataDir));
  await store.close();
  expect(await readdir(join(dataDir, 'postgres'))).toContain('cluster');
});

test('SV-17: a data directory of an earlier version opens with its projects', async () => {
  const dataDir = await freshDirectory();
  const earlier = await openPostgresStore({ dataDir: join(dataDir, 'postgres') });
  await earlier.createProject({
    id: projectId('kept'),
    name: 'Kept',
    description: null,
    systemPrompt: null,
    defaults: {},
    archived: false,
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  await earlier.close();

  const store = await openStore(configIn(dataDir));
  onTestFinished(store.close);
  expect((await store.listProjects()).map((project) => project.name)).toStrictEqual(['Kept']);
});
