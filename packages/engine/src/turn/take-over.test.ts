import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProviderSet } from '../environment.ts';
import { createEngine } from '../engine.ts';
import { expectShownIn, stageOn, tool, watch } from './testing.ts';

const LIMITS = { leaseMs: 40, heartbeatMs: 10 };

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'take over', paceMs: 0 });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-take-over-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** A turn whose owner died after its first result: the dead process's store accepts nothing more. */
async function abandon(owner: string): Promise<Turn> {
  let isDead = false;
  const dying: Store = {
    ...store,
    appendLog: async (...given) => {
      if (isDead) throw new Error('dead');
      await store.appendLog(...given);
      isDead = given[2].some(({ data }) => data.includes('"tool_result"'));
    },
    commitTurn: (commit) => (isDead ? Promise.reject(new Error('dead')) : store.commitTurn(commit)),
  };
  const quick = tool('quick', () => Promise.resolve('quick'));
  const { engine } = stageOn(dying, simulator.url, { owner, limits: { leaseMs: 1 }, tools: [quick] });
  const { project } = await engine.createProject({ tools: ['quick'] });
  const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim tools quick' });
  await watch(engine, project.id, turn.id);
  return turn;
}

async function statusOf({ projectId, id }: Turn): Promise<string> {
  return (await store.getTurn(projectId, id)).status;
}

const contents = async ({ projectId, id }: Turn): Promise<readonly string[]> =>
  (await store.nodesOfTurn(projectId, id)).map(({ content }) => content);

describe('turns without an owner', () => {
  it('EN-36: a turn whose log cannot be read holds up no other, and is closed with a reply that says so', async () => {
    const [broken, sound] = [await abandon('one'), await abandon('two')];
    let reads = 0;
    const damaged: Store = {
      ...store,
      // The broken one is found first.
      claimExpiredTurns: async (...given) =>
        [...(await store.claimExpiredTurns(...given))].sort((a) => (a.id === broken.id ? -1 : 1)),
      readLog: (project, turn, ...rest) => {
        if (turn !== broken.id) return store.readLog(project, turn, ...rest);
        reads += 1;
        return Promise.reject(new StoreError('malformed_file', 'log', 'The log cannot be read.'));
      },
    };
    const { engine, problems } = stageOn(damaged, simulator.url, { owner: 'heir', limits: LIMITS });
    await engine.start();
    await vi.waitFor(async () => expect(await statusOf(sound)).toBe('interrupted'), { timeout: 60_000 });
    expect(await contents(sound)).toContain('quick');
    await vi.waitFor(async () => expect(await statusOf(broken)).toBe('interrupted'), { timeout: 60_000 });
    expect(reads).toBe(3);
    expect((await contents(broken)).at(-1)).toMatch(/log of the turn cannot be read.*Send the message again/s);
    expect(problems.map(({ what }) => what)).toContain('recovering a turn');
    const next = await engine.chat(broken.projectId, { ref: 'main', message: 'And now?', tools: [] });
    expect((await watch(engine, broken.projectId, next.turn.id)).at(-1)).toMatchObject({ status: 'complete' });
    // What cannot be read now may become readable later.
    expect(await store.readLog(broken.projectId, broken.id, 0, 10)).not.toEqual([]);
    await engine.stop(0);
  });

  it('EN-36: a store that is away for long costs nothing that was shown', async () => {
    const turn = await abandon('one');
    let tries = 0;
    const away: Store = {
      ...store,
      readLog: (...query) => {
        tries += 1;
        const trouble = new StoreError('store_unreachable', 'store', 'Away.');
        return tries < 6 ? Promise.reject(trouble) : store.readLog(...query);
      },
    };
    const { engine } = stageOn(away, simulator.url, { owner: 'heir', limits: LIMITS });
    await engine.start();
    await vi.waitFor(async () => expect(await statusOf(turn)).toBe('interrupted'), { timeout: 60_000 });
    expect(await contents(turn)).toContain('quick');
    await engine.stop(0);
  });

  it('EN-36: no provider is asked, and the price of the call is the one that it was made for', async () => {
    let isDead = false;
    const dying: Store = {
      ...store,
      commitTurn: () => {
        isDead = true;
        return Promise.reject(new Error('dead'));
      },
      appendLog: (...given) => (isDead ? Promise.reject(new Error('dead')) : store.appendLog(...given)),
    };
    const { engine } = stageOn(dying, simulator.url, { limits: { leaseMs: 1 } });
    const { project } = await engine.createProject({ provider: 'simulated', model: 'claude-sonnet-4-5' });
    const { turn } = await engine.chat(project.id, { ref: 'main', message: 'Hello' });
    const lines = await watch(engine, project.id, turn.id);
    const shown = lines.find((line) => line.type === 'usage');
    const gone = (): never => {
      throw new Error('The settings cannot be read.');
    };
    const providers: ProviderSet = { get: gone, list: gone, defaults: gone };
    const heir = createEngine({ ...stageOn(store, simulator.url, { owner: 'heir', limits: LIMITS }).env, providers });
    await heir.start();
    await expect.poll(() => statusOf(turn)).toBe('complete');
    const [call] = await store.callsOfTurn(project.id, turn.id);
    expect(shown).toMatchObject({ usage: call?.usage, cost: call?.cost });
    expect(call?.cost).toBeGreaterThan(0);
    await heir.stop(0);
  });

  it('EN-37: an interrupt closes a turn that its own server could not close, at once', async () => {
    let isFull = false;
    const full = new StoreError('disk_full', 'disk', 'No room.');
    const over: Store = {
      ...store,
      appendLog: (...given) => (isFull ? Promise.reject(full) : store.appendLog(...given)),
      commitTurn: (commit) => (isFull ? Promise.reject(full) : store.commitTurn(commit)),
    };
    const quick = tool('quick', async () => {
      await sleep(10);
      isFull = true;
      return 'quick';
    });
    const { engine } = stageOn(over, simulator.url, { tools: [quick] });
    const { project } = await engine.createProject({ tools: ['quick'] });
    const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim think 1 /sim tools quick' });
    const lines = await watch(engine, project.id, turn.id);
    expect(lines.at(-1)).toMatchObject({ type: 'error', code: 'disk_full', retryable: true });
    expect(lines.at(-1)).toMatchObject({ message: expect.stringMatching(/disk is full.*Free some space/) });
    expect(await statusOf(turn)).toBe('running');
    await expect(engine.interrupt(project.id, { turnId: turn.id })).rejects.toMatchObject({ code: 'disk_full' });
    isFull = false;
    await engine.interrupt(project.id, { turnId: turn.id });
    expect(await statusOf(turn)).toBe('interrupted');
    expectShownIn(
      await store.nodesOfTurn(project.id, turn.id),
      lines.filter(({ type }) => type !== 'error'),
    );
    // A returning watcher is told the end, after the last line that it saw.
    const rest = await watch(engine, project.id, turn.id, lines.at(-1)?.seq);
    expect(rest).toMatchObject([{ type: 'done', status: 'interrupted', seq: (lines.at(-1)?.seq ?? 0) + 1 }]);
  });

  it('EN-39: a server that is told to stop keeps its turns while it lets them end', async () => {
    // As long as three leases.
    const late = tool('late', () => sleep(3_000, 'late'));
    const limits = { leaseMs: 1_000, heartbeatMs: 50 };
    const { engine } = stageOn(store, simulator.url, { owner: 'leaving', limits, tools: [late] });
    const other = stageOn(store, simulator.url, { owner: 'other', limits });
    const { project } = await engine.createProject({ tools: ['late'] });
    await engine.start();
    await other.engine.start();
    const { turn } = await engine.chat(project.id, { ref: 'main', message: '/sim tools late' });
    expect(await engine.stop(10_000)).toEqual({ interrupted: 0 });
    expect(await statusOf(turn)).toBe('complete');
    await other.engine.stop(0);
  });

  it('EN-45: a server that has just begun leaves a turn alone whose lease only just ran out; whoever asks for its end gets it', async () => {
    const turn = await abandon('one');
    const limits = { leaseMs: 60_000, heartbeatMs: 60_000 };
    const { engine } = stageOn(store, simulator.url, { owner: 'heir', limits });
    await engine.start();
    expect(await statusOf(turn)).toBe('running');
    await engine.interrupt(turn.projectId, { turnId: turn.id });
    expect(await statusOf(turn)).toBe('interrupted');
    await engine.stop(0);
  });

  it('EN-37: an interrupt closes a turn whose owner is gone', async () => {
    const turn = await abandon('one');
    const { engine } = stageOn(store, simulator.url, { owner: 'heir' });
    await engine.interrupt(turn.projectId, { turnId: turn.id });
    expect(await statusOf(turn)).toBe('interrupted');
    expect(await contents(turn)).toContain('quick');
  });
});
