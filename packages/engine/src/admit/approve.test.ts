import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamLine, Turn } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stageOn, watch } from '../turn/testing.ts';

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'approve', paceMs: 0 });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-approve-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const stage = (over: Store) => stageOn(over, simulator.url, { approval: 'ask', limits: { leaseMs: 60_000 } });

async function waitingTurn(): Promise<{ readonly turn: Turn; readonly toolCallId: string }> {
  const { engine } = stage(store);
  const { project } = await engine.createProject({ provider: 'simulated', tools: ['calculator'] });
  const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim tools calculator' });
  await expect.poll(async () => (await store.getTurn(project.id, turn.id)).status).toBe('awaiting_approval');
  const entries = await store.readLog(project.id, turn.id, 0, 1_000);
  const toolCallId = /"type":"approval","toolCallId":"([^"]+)"/.exec(entries.map(({ data }) => data).join(''))?.[1];
  return { turn, toolCallId: toolCallId ?? '' };
}

describe('approve', () => {
  it('EN-43: what fails behind the claim leaves the turn waiting, and the answer can be given again', async () => {
    const { turn, toolCallId } = await waitingTurn();
    const answer = { turnId: turn.id, toolCallId, approve: true };
    const broken = { ...store, nodesOfTurn: () => Promise.reject(new Error('The disk is gone.')) };
    await expect(stage(broken).engine.approve(turn.projectId, answer)).rejects.toThrow('The disk is gone.');
    expect((await store.getTurn(turn.projectId, turn.id)).status).toBe('awaiting_approval');
    const { engine } = stage(store);
    await engine.approve(turn.projectId, answer);
    const lines = await watch(engine, turn.projectId, turn.id);
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  });

  it('EN-43: an answer that comes before the turn is given free waits for that', async () => {
    const late: Store = {
      ...store,
      releaseTurn: async (...given) => {
        await sleep(150);
        await store.releaseTurn(...given);
      },
    };
    const { engine } = stage(late);
    const { project } = await engine.createProject({ provider: 'simulated', tools: ['calculator'] });
    const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim tools calculator' });
    const lines: StreamLine[] = [];
    for await (const some of engine.watch(project.id, turn.id, 0, new AbortController().signal)) {
      lines.push(...some);
      for (const line of some)
        if (line.type === 'approval' && line.state === 'asked')
          await engine.approve(project.id, { turnId: turn.id, toolCallId: line.toolCallId, approve: true });
    }
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  });

  it('EN-43: an answer that was logged although its request failed counts once, and goes on when it is repeated', async () => {
    const { turn, toolCallId } = await waitingTurn();
    const answer = { turnId: turn.id, toolCallId, approve: true };
    const forgetful: Store = {
      ...store,
      appendLog: async (...given) => {
        await store.appendLog(...given);
        throw new Error('The answer was lost.');
      },
    };
    await expect(stage(forgetful).engine.approve(turn.projectId, answer)).rejects.toThrow('The answer was lost.');
    const { engine } = stage(store);
    await expect(engine.approve(turn.projectId, { ...answer, approve: false })).rejects.toMatchObject({
      code: 'unknown_id',
    });
    await engine.approve(turn.projectId, answer);
    const lines = await watch(engine, turn.projectId, turn.id);
    const states = lines.flatMap((line) => (line.type === 'approval' ? [line.state] : []));
    expect(states).toEqual(['asked', 'approved']);
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
  });
});
