import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamLine, Turn } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore, StoreError } from '@bough/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from './testing.ts';
import { DeadError, expectShownIn, stageOn, tool, watch } from './testing.ts';

const MESSAGE = 'Work. /sim think 1 80 /sim long 120 /sim tools quick late calculator steps 2';
const TOOLS = ['quick', 'late', 'calculator'];
const quick = tool('quick', () => Promise.resolve('quick'));
const late = tool('late', () => sleep(15, 'late'));
const PROVIDERS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'];

let simulator: Simulator;
let directory: string;
let store: Store;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'faults', paceMs: 0 });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-faults-'));
  store = await openFilesStore({ directory });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

interface Played {
  readonly turn: Turn;
  readonly lines: readonly StreamLine[];
  readonly stage: Stage;
}

/** One turn on a store that fails at some point, as a client saw it. */
async function play(over: Store, provider = 'simulated', leaseMs = 60_000): Promise<Played> {
  const stage = stageOn(over, simulator.url, { limits: { leaseMs }, tools: [quick, late] });
  const { project } = await stageOn(store, simulator.url, { tools: [quick, late] }).engine.createProject({
    provider,
    tools: TOOLS,
  });
  const { turn } = await stage.engine.chat(project.id, { ref: 'main', message: MESSAGE });
  return { turn, lines: await watch(stage.engine, project.id, turn.id), stage };
}

/** The turn has ended and holds what was shown, and the next message works. */
async function expectKept({ turn, lines }: Played): Promise<void> {
  const nodes = await store.nodesOfTurn(turn.projectId, turn.id);
  expectShownIn(nodes, lines);
  const branch = await store.getBranch(turn.projectId, 'main');
  expect(branch.tipId).toBe(nodes.at(-1)?.id);
  const calls = await store.callsOfTurn(turn.projectId, turn.id);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  const { engine } = stageOn(store, simulator.url, { tools: [quick, late] });
  const next = await engine.chat(turn.projectId, { ref: 'main', message: 'And now?' });
  expect(await watch(engine, turn.projectId, next.turn.id)).toContainEqual(
    expect.objectContaining({ type: 'done', status: 'complete' }),
  );
}

/** A store in which the writes of a turn pass through `meet` first, with the number of writes so far. */
function meeting(meet: (write: 'append' | 'commit', count: number, go: () => Promise<void>) => Promise<void>): Store {
  let count = 0;
  return {
    ...store,
    appendLog: (...given) => meet('append', (count += 1), () => store.appendLog(...given)),
    commitTurn: (commit) => meet('commit', (count += 1), () => store.commitTurn(commit)),
  };
}

async function countWrites(): Promise<number> {
  let writes = 0;
  const played = await play(
    meeting((_, count, go) => {
      writes = count;
      return go();
    }),
  );
  await expectKept(played);
  return writes;
}

describe('a process that dies', () => {
  it.each(PROVIDERS)('LN-6: after any write (%s), what was shown is rebuilt from the log', async (provider) => {
    const writes = await countWrites();
    expect(writes).toBeGreaterThan(8);
    for (let last = 1; last <= writes; last += 1) {
      let isDead = false;
      const dying: Store = {
        ...meeting((_, count, go) => {
          isDead ||= count > last;
          return isDead ? Promise.reject(new DeadError()) : go();
        }),
        readLog: (...query) => (isDead ? Promise.reject(new DeadError()) : store.readLog(...query)),
        getTurn: (...query) => (isDead ? Promise.reject(new DeadError()) : store.getTurn(...query)),
      };
      const played = await play(dying, provider, 1);
      // What could not be stored was shown only by the dying process, as its last line.
      const lines = played.lines.filter((line) => line.type !== 'error');
      const heir = stageOn(store, simulator.url, { owner: 'heir', limits: { leaseMs: 1 }, tools: [quick, late] });
      await sleep(10);
      await heir.engine.start();
      expect(await store.getTurn(played.turn.projectId, played.turn.id)).not.toMatchObject({ status: 'running' });
      await expectKept({ ...played, lines });
      await heir.engine.stop(0);
    }
  });
});

describe('a store that fails', () => {
  it.each(['once', 'from then on'])(
    'LN-7: a log that fails %s, while commits work, loses nothing that was shown',
    async (how) => {
      const writes = await countWrites();
      for (let first = 1; first <= writes; first += 1) {
        const played = await play(
          meeting((write, count, go) => {
            const fails = write === 'append' && (how === 'once' ? count === first : count >= first);
            return fails ? Promise.reject(new StoreError('disk_full', 'log', 'No room in /secret/place.')) : go();
          }),
        );
        const { lines } = played;
        expect(lines.at(-1)?.type).toBe('done');
        const errors = lines.filter((line) => line.type === 'error');
        if (errors.length > 0) {
          expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('disk is full') })]);
          expect(lines.at(-1)).toMatchObject({ status: 'error' });
        } else expect(lines.at(-1)).toMatchObject({ status: 'complete' });
        expect(JSON.stringify(lines)).not.toContain('secret');
        expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
        await expectKept(played);
      }
    },
  );

  it.each(['before it is stored', 'after it is stored'])(
    'LN-7: a commit that fails %s loses and doubles nothing',
    async (when) => {
      const writes = await countWrites();
      for (let failing = 1; failing <= writes; failing += 1) {
        const played = await play(
          meeting(async (write, count, go) => {
            const fails = write === 'commit' && count === failing;
            if (!fails || when === 'after it is stored') await go();
            if (fails) throw new StoreError('outcome_unknown', 'store', 'The connection broke.');
          }),
        );
        expect(played.lines.at(-1)?.type).toBe('done');
        await expectKept(played);
      }
    },
  );

  it('LN-8: tools and the model stop at once when the log fails, and nothing of the turn goes on behind its end', async () => {
    let stopped = 0;
    const endless = tool(
      'late',
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped += 1;
            reject(new Error('stopped'));
          });
        }),
    );
    let isShown = false;
    let after = 0;
    let hasEnded = false;
    const over: Store = {
      ...store,
      appendLog: async (project, turn, entries) => {
        if (hasEnded) after += 1;
        if (isShown) throw new StoreError('disk_full', 'log', 'No room.');
        await store.appendLog(project, turn, entries);
        isShown = entries.some(({ data }) => data.includes('"tool_result"'));
      },
    };
    // The first result is shown, the second cannot be written, the third would never arrive.
    const soon = tool('soon', () => sleep(30, 'soon'));
    const stage = stageOn(over, simulator.url, { tools: [quick, soon, endless] });
    const { project } = await stage.engine.createProject({ tools: ['quick', 'soon', 'late'] });
    const { turn } = await stage.engine.chat(project.id, { ref: 'main', message: '/sim tools quick soon late' });
    const lines = await watch(stage.engine, project.id, turn.id);
    hasEnded = true;
    expect(stopped).toBe(1);
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'error' });
    expect(lines.filter((line) => line.type === 'tool_result')).toMatchObject([{ content: 'quick' }]);
    expectShownIn(await store.nodesOfTurn(project.id, turn.id), lines);
    await sleep(50);
    expect(after).toBe(0);
    expect(stage.engine.runningTurns()).toBe(0);
  });
});

describe('an owner that was only slow', () => {
  it('LN-9: whoever takes its turn over ends the log first, so that nothing is shown that is not stored', async () => {
    const shownLate: string[] = [];
    let hold: Promise<void> | null = null;
    let release = (): void => undefined;
    const slow: Store = {
      ...store,
      appendLog: async (project, turn, entries) => {
        if (entries.some(({ data }) => data.includes('"tool_result"'))) {
          hold = new Promise((resolve) => {
            release = resolve;
          });
          await hold;
        }
        await store.appendLog(project, turn, entries);
        if (hold !== null) shownLate.push(...entries.map(({ data }) => data));
      },
    };
    const owner = stageOn(slow, simulator.url, { owner: 'slow', limits: { leaseMs: 1 }, tools: [quick] });
    const { project } = await owner.engine.createProject({ tools: ['quick'] });
    const { turn } = await owner.engine.chat(project.id, { ref: 'main', message: '/sim tools quick' });
    const watched = watch(owner.engine, project.id, turn.id);
    await expect.poll(() => hold !== null).toBe(true);
    // It closes the turn up to its last write; the owner wakes up in between.
    const heirStore: Store = {
      ...store,
      nodesOfTurn: async (...query) => {
        release();
        await sleep(30);
        return store.nodesOfTurn(...query);
      },
    };
    const heir = stageOn(heirStore, simulator.url, { owner: 'heir' });
    await heir.engine.start();
    const lines = await watched;
    expect(shownLate).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ type: 'done', status: 'interrupted' });
    expectShownIn(await store.nodesOfTurn(project.id, turn.id), lines);
    await heir.engine.stop(0);
    await owner.engine.stop(0);
  });
});
