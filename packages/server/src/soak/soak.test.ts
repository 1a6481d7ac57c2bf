import { describe, expect, it } from 'vitest';
import type { StoreKind } from './lane.ts';
import type { Run } from './run.ts';
import { runScenario } from './run.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** The short form of `npm run soak`: the same scenarios, a few rounds each. */
async function soak(name: string, store: StoreKind, rounds = 2): Promise<{ run: Run; told: string }> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`There is no scenario "${name}".`);
  const told: string[] = [];
  const run = await runScenario({
    scenario,
    store,
    rounds,
    seed: 1,
    // One after the other in the same place: what the first saw must survive the second.
    lanes: 1,
    patienceMs: 45_000,
    say: (line) => told.push(line),
  });
  return { run, told: told.join('\n') };
}

/** Nothing was lost, doubled or stuck, and there was something to lose. */
async function expectSound(name: string, store: StoreKind, rounds?: number): Promise<void> {
  const { run, told } = await soak(name, store, rounds);
  expect(
    run.findings.map(({ kind }) => kind),
    told,
  ).toEqual([]);
  expect(run.turns).toBeGreaterThan(run.rounds);
  expect(run.lines).toBeGreaterThan(run.turns);
}

/** Longer than everything that a round may wait for: what is stuck should be reported as such. */
const LONGEST_MS = 300_000;

describe('the kill suites, in short', { timeout: LONGEST_MS }, () => {
  it.each(['postgres', 'git', 'files'] as const)(
    'EN-25: with the %s store, `kill -9` of the server loses nothing that was shown or answered',
    (store) => expectSound('server', store),
  );

  it('EN-25: killing PostgreSQL under a running server loses nothing that was shown or answered', () =>
    expectSound('database', 'postgres'));

  it('EN-25: cutting all connections to PostgreSQL loses nothing that was shown or answered', () =>
    expectSound('cut-connections', 'postgres'));

  it('EN-26: of two servers one is killed: the other takes its turns over; nothing is lost or doubled', () =>
    expectSound('second-server', 'postgres'));

  it('EN-26: an owner that was frozen wakes up to turns that another one closed: nothing is lost or doubled', () =>
    expectSound('frozen-owner', 'postgres'));
});
