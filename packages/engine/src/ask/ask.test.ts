import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stageOn, watch } from '../turn/testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'ask', paceMs: 0 });
  directory = await mkdtemp(join(tmpdir(), 'bough-ask-'));
  store = await openFilesStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
  await simulator.close();
});

describe('one message to several models', () => {
  it('EN-700: those that began are told with what kept the others from it; if none began, nothing is stored', async () => {
    let left = 2;
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
    const request = { ref: 'main', message: '/sim say one', targets: [{ n: 3 }, { provider: 'simulated_chat' }] };
    const asked = await engine.ask(project.id, request);
    expect(asked.answers.map(({ target }) => target)).toEqual([0, 0]);
    expect(asked.refused).toMatchObject([
      { target: 0, count: 1, error: { code: 'disk_full' } },
      { target: 1, count: 1, error: { code: 'disk_full' } },
    ]);
    for (const { started } of asked.answers) await watch(engine, project.id, started.turn.id);
    const { nodes } = await store.graph(project.id);
    expect(nodes.map(({ role, parentId }) => [role, parentId])).toEqual([
      ['user', null],
      ['assistant', asked.nodeId],
      ['assistant', asked.nodeId],
    ]);
    expect((await store.getProject(project.id)).name).toBe('/sim say one');
    left = 0;
    const none = await engine.ask(project.id, { ...request, message: 'Anybody?' });
    expect(none).toMatchObject({ nodeId: null, answers: [], refused: [{ count: 3 }, { count: 1 }] });
    expect((await store.graph(project.id)).nodes.length).toBe(3);
    expect((await store.listBranches(project.id)).length).toBe(3);
    await engine.stop(0);
  });
});
