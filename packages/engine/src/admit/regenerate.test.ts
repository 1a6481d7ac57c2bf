import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stageOn, watch } from '../turn/testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'regenerate', paceMs: 0 });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-regenerate-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

describe('several replies at once', () => {
  it('EN-115: those that began are told with the reason why the others did not', async () => {
    let left = Infinity;
    const full: Store = {
      ...store,
      beginTurn: (begun) => {
        left -= 1;
        return left < 0
          ? Promise.reject(new StoreError('disk_full', 'store', 'The disk is full.'))
          : store.beginTurn(begun);
      },
    };
    const { engine } = stageOn(full, simulator.url);
    const { project } = await engine.createProject({});
    const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim say one' });
    await watch(engine, project.id, turn.id);
    left = 2;
    const { started, refused } = await engine.regenerate(project.id, { ref: 'main', n: 4 });
    expect(started.map(({ branch }) => branch.name)).toEqual(['main', 'main again']);
    expect(refused).toMatchObject({ count: 2, error: { code: 'disk_full' } });
    for (const each of started) await watch(engine, project.id, each.turn.id);
    left = 0;
    await expect(engine.regenerate(project.id, { ref: 'main', n: 2 })).rejects.toMatchObject({ code: 'disk_full' });
    expect((await store.listBranches(project.id)).map(({ name }) => name)).toEqual(['main', 'main again']);
    await engine.stop(0);
  });
});
