import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isImageBlock } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { drawnPicture, startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEngine } from '../engine.ts';
import type { Environment } from '../environment.ts';
import { stageOn, watch } from './testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'made files' });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-made-files-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const ASK = '/sim image a fox\n/sim say Here.';

/** A turn in which a picture is drawn, and what is stored of it. */
async function draw(env: Environment) {
  const engine = createEngine(env);
  const { project } = await engine.createProject({
    provider: 'simulated_responses',
    providerTools: [{ tool: 'image_generation' }],
  });
  const { turn } = await engine.chat(project.id, { ref: 'main', message: ASK });
  return { turn, lines: await watch(engine, project.id, turn.id) };
}

const blocksOf = async ({ turn }: Awaited<ReturnType<typeof draw>>) =>
  (await store.nodesOfTurn(turn.projectId, turn.id)).flatMap(({ contentBlocks }) => contentBlocks);

it('EN-180: a picture of a reply is kept beside it when the reply is stored; raw keeps it as it came', async () => {
  const made = await draw(stageOn(store, simulator.url).env);
  const blocks = await blocksOf(made);
  expect(blocks.filter(isImageBlock)).toMatchObject([{ name: 'picture.png', width: 320, height: 200, alt: 'a fox' }]);
  const data = drawnPicture('a fox');
  expect(JSON.stringify([blocks, made.lines])).not.toContain(data);
  const [call] = await store.callsOfTurn(made.turn.projectId, made.turn.id);
  if (call?.nodeId == null) throw new Error('There is no reply.');
  expect(JSON.stringify(await store.getRaw(made.turn.projectId, call.nodeId))).toContain(data);
});

it('EN-181: so does a server that finds the turn of another one', async () => {
  let isDead = false;
  const dying: Store = {
    ...store,
    appendLog: async (...given) => {
      if (isDead) throw new Error('dead');
      await store.appendLog(...given);
      isDead = given[2].some(({ data }) => data.includes('"type":"image"'));
    },
    commitTurn: (commit) => (isDead ? Promise.reject(new Error('dead')) : store.commitTurn(commit)),
  };
  const made = await draw(stageOn(dying, simulator.url, { owner: 'dead', limits: { leaseMs: 1 } }).env);
  expect(await blocksOf(made)).toHaveLength(1);
  const heir = stageOn(store, simulator.url, { owner: 'heir', limits: { leaseMs: 40, heartbeatMs: 10 } });
  await heir.engine.start();
  await expect.poll(async () => (await store.getTurn(made.turn.projectId, made.turn.id)).status).not.toBe('running');
  await heir.engine.stop(0);
  const blocks = await blocksOf(made);
  expect(blocks.filter(isImageBlock)).toMatchObject([{ width: 320, alt: 'a fox' }]);
  expect(JSON.stringify(blocks)).not.toContain(drawnPicture('a fox'));
});

it('EN-182: where it cannot be kept, it stays in its block, the reply is stored, and an operator is told', async () => {
  const { env, problems } = stageOn(store, simulator.url);
  const made = await draw({ ...env, keepFile: () => Promise.reject(new Error('The disk is full.')) });
  expect(made.lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  expect(await blocksOf(made)).toContainEqual(
    expect.objectContaining({ type: 'image_generation_call', result: drawnPicture('a fox') }),
  );
  expect(problems.map(({ what }) => what)).toContain('keeping a file of a reply');
});
