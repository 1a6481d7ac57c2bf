import type { Choice, FilesOtherwise, MergeBlock, MergeChoice, ReplayBy } from '@bough/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, Ending, EnvelopeChange, ToolOutcome, TurnPlan } from './replay/actions.ts';
import { TEXTS } from './replay/actions.ts';
import type { Seat } from './replay/conversation.ts';
import { KeptReasoning } from './replay/kept-reasoning.ts';
import { ReplayMachine } from './replay/machine.ts';
import { allSeats } from './replay/seats.ts';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

/**
 * `REPLAY_HISTORIES=5000` plays more of them, and others each time, `REPLAY_SEED=7` the same ones again. Without either
 * the seed is fixed: a suite that plays other histories each time would now and then stop somebody who broke nothing.
 * So the suite only guards what it has played before; new histories are found by `npm run replay`, and only by it.
 */
const HISTORIES = Number(process.env['REPLAY_HISTORIES'] ?? 200);
const SEED = process.env['REPLAY_SEED'] ?? (process.env['REPLAY_HISTORIES'] === undefined ? '12' : undefined);

let simulator: Simulator;
let seats: readonly Seat[];
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'replay' });
  seats = await allSeats(simulator.url);
});
afterAll(() => simulator.close());

async function play(table: readonly Seat[], first: EnvelopeChange, actions: readonly Action[]): Promise<ReplayMachine> {
  const machine = new ReplayMachine(simulator, table, first);
  for (const action of actions) await machine.play(action);
  return machine;
}

const number = fc.nat({ max: 60 });
const change: fc.Arbitrary<EnvelopeChange> = fc.record(
  {
    target: number,
    system: number,
    tools: number,
    providerTools: number,
    thinking: number,
    replayBy: fc.constantFrom<ReplayBy>('issuer', 'issuer', 'issuer', 'break'),
    keepTools: fc.boolean(),
    filesOtherwise: fc.constantFrom<FilesOtherwise>('text', 'text', 'omit'),
  },
  { requiredKeys: [] },
);
const ending: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'whole' } as const) },
  fc.record({ type: fc.constantFrom('abort', 'cut', 'error'), after: fc.nat({ max: 40 }) }),
  fc.record({ type: fc.constant('refused'), status: fc.constantFrom(400, 500) }),
);
/** Half of the messages, and half of the results, bring files. */
const files = (each: number) => fc.option(fc.nat({ max: 60 }), { freq: each, nil: undefined });
const turn: fc.Arbitrary<TurnPlan> = fc
  .record({
    ending,
    endingAt: fc.integer({ min: 1, max: 4 }),
    tools: fc.constantFrom<ToolOutcome>('works', 'works', 'works', 'fails', 'lost'),
    toolFiles: files(2),
    toolCanvas: fc.boolean(),
  })
  .map(({ toolFiles, ...plan }) => ({ ...plan, ...(toolFiles !== undefined && { toolFiles }) }));
const choice = fc.constantFrom<Choice | null>('leave_out', 'leave_out', 'pin', null);
const at = { branch: number, node: number };
const record = fc.record;
const said = record({ type: fc.constant('say' as const), branch: number, text: number, files: files(2), turn }).map(
  ({ files: brought, ...one }): Action => ({ ...one, ...(brought !== undefined && { files: brought }) }),
);
const forked = record({ type: fc.constant('fork' as const), ...at, change });
const chosen = record({ type: fc.constant('choose' as const), ...at, choice });
const compacted = record({ type: fc.constant('compact' as const), ...at });
const written = record({ type: fc.constant('canvas' as const), branch: number, text: number, inContext: fc.boolean() });
const merged = record({
  type: fc.constant('merge' as const),
  branch: number,
  from: number,
  by: fc.constantFrom<MergeBlock['by']>('answer', 'messages', 'summary'),
  messages: number,
});
const mergedCanvas = record({
  type: fc.constant('merge_canvas' as const),
  branch: number,
  from: number,
  choice: fc.constantFrom<MergeChoice>('ours', 'theirs', 'both'),
});
const asked = record({
  type: fc.constant('ask' as const),
  ...at,
  text: number,
  change: record({ target: number, thinking: number }, { requiredKeys: [] }),
  turn,
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: said },
  { weight: 2, arbitrary: record({ type: fc.constant('regenerate'), ...at, change, turn }) },
  { weight: 2, arbitrary: record({ type: fc.constant('edit'), ...at, text: number, change, turn }) },
  { weight: 2, arbitrary: forked },
  { weight: 2, arbitrary: record({ type: fc.constant('change'), branch: number, change }) },
  { weight: 2, arbitrary: chosen },
  { weight: 2, arbitrary: compacted },
  record({ type: fc.constant('uncompact'), branch: number }),
  record({ type: fc.constant('include_thinking'), ...at }),
  record({ type: fc.constant('forget_raw'), ...at }),
  record({ type: fc.constant('remove'), ...at }),
  record({ type: fc.constant('remove_turn'), ...at }),
  record({ type: fc.constant('instruct'), branch: number, text: number }),
  written,
  merged,
  mergedCanvas,
  asked,
  record({ type: fc.constant('retool'), branch: number, tools: number }),
  record({ type: fc.constant('import'), branch: number, of: number }),
);
/** What long conversations see: by chance alone, hardly any history would summarise a summary of a bound model. */
const lasting: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: said },
  { weight: 5, arbitrary: compacted },
  { weight: 3, arbitrary: chosen },
  { weight: 2, arbitrary: forked },
  { weight: 2, arbitrary: record({ type: fc.constant('change'), branch: number, change }) },
  record({ type: fc.constant('uncompact'), branch: number }),
  record({ type: fc.constant('edit'), ...at, text: number, change, turn }),
  record({ type: fc.constant('remove'), ...at }),
  record({ type: fc.constant('instruct'), branch: number, text: number }),
  record({ type: fc.constant('retool'), branch: number, tools: number }),
);
/** Several branches that bring each other what they have: by chance alone, hardly any history would merge twice. */
const bringing: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: said },
  { weight: 6, arbitrary: merged },
  { weight: 2, arbitrary: forked },
  { weight: 2, arbitrary: written },
  { weight: 2, arbitrary: mergedCanvas },
  { weight: 2, arbitrary: compacted },
  chosen,
  asked,
  record({ type: fc.constant('remove'), ...at }),
  record({ type: fc.constant('change'), branch: number, change }),
);
const history = fc.oneof(
  { weight: 4, arbitrary: fc.array(action, { minLength: 2, maxLength: 14 }) },
  { weight: 1, arbitrary: fc.array(lasting, { minLength: 8, maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.tuple(said, written, forked, forked, said, written, said),
        fc.tuple(written, mergedCanvas),
        fc.array(bringing, { minLength: 4, maxLength: 12 }),
      )
      .map(([[first, canvas, one, other, second, version, third], [own, both], more]) => [
        first,
        canvas,
        one,
        other,
        { ...second, branch: 1 },
        { ...version, branch: 1 },
        { ...third, branch: 2 },
        // Both have changed the document since they parted, or one of them has.
        ...(own.inContext ? [{ ...own, branch: 0 }] : []),
        { ...both, branch: 0, from: 1 },
        ...more,
      ]),
  },
);
/** Few models, so that a history switches back to one that it used before. */
const table = fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 4 });

/** A seat, and for every other pick a second model of the same deployment: some read each other's reasoning. */
function kin(seat: Seat | undefined, pick: number): readonly Seat[] {
  if (seat === undefined) return [];
  const others = seats.filter(({ provider }) => provider === seat.provider);
  const other = others[pick % others.length];
  return pick % 2 === 0 && other !== undefined && other !== seat ? [seat, other] : [seat];
}

describe('random histories', () => {
  it(
    `SIM-10: ${HISTORIES} of them: no rejection, no unreported loss, a stable prefix`,
    async () => {
      let calls = 0;
      let spared = 0;
      let sentFiles = 0;
      let hosted = 0;
      let pauses = 0;
      let summaries = 0;
      const done = new Map<string, number>();
      const kept = new KeptReasoning();
      await fc.assert(
        fc.asyncProperty(table, change, history, async (picks, first, actions) => {
          const seated = picks.flatMap((pick) => kin(seats[pick % seats.length], pick));
          const machine = await play(seated, first, actions);
          calls += machine.calls;
          spared += machine.spared;
          sentFiles += machine.sentFiles;
          hosted += machine.hosted;
          pauses += machine.pauses;
          summaries += machine.summaries;
          for (const [what, times] of Object.entries(machine.done)) done.set(what, (done.get(what) ?? 0) + times);
          kept.add(machine.kept);
        }),
        { numRuns: HISTORIES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
      expect(calls).toBeGreaterThan(HISTORIES);
      expect(kept.sent).toBeGreaterThan(kept.blocks / 4);
      const used = `${hosted} replies used tools of the provider, with ${pauses} pauses.`;
      if (process.env['REPLAY_HISTORIES'] !== undefined)
        console.log(`${sentFiles} files were sent; ${used} ${[...done].map((one) => one.join(': ')).join(', ')}
${String(kept)}`);
      expect(sentFiles).toBeGreaterThan(calls / 2);
      expect(hosted).toBeGreaterThan(HISTORIES / 8);
      expect(pauses).toBeGreaterThan(0);
      expect(summaries).toBeGreaterThan(HISTORIES / 6);
      // What is rare has to happen, or nothing is said about it.
      for (const [what, times] of done) expect([what, times > 0]).toEqual([what, true]);
      // Each of them came out as it does without cached turns; had there been none, that would prove nothing.
      expect(spared).toBeGreaterThan(calls / 8);
    },
    60 * 60 * 1_000,
  );
});

/** A seat by its names. */
function seat(provider: string, model: string): Seat {
  const found = seats.find((candidate) => candidate.provider.deployment.id === provider && candidate.model === model);
  if (found === undefined) throw new Error(`There is no seat ${provider}/${model}.`);
  return found;
}

const WELL: TurnPlan = { ending: { type: 'whole' }, endingAt: 1, tools: 'works' };
const say = (text: (typeof TEXTS)[number], plan: Partial<TurnPlan> = {}): Extract<Action, { type: 'say' }> => ({
  type: 'say',
  branch: 0,
  text: TEXTS.indexOf(text),
  turn: { ...WELL, ...plan },
});

describe('branches that bring each other what they have', () => {
  const talk = (branch: number): Action => ({ ...say('What is a tree?'), branch });
  const fork = (branch: number, node: number, target: number): Action => ({
    type: 'fork',
    branch,
    node,
    change: { target },
  });
  const merge = (from: number, branch: number, by: MergeBlock['by']): Action => ({
    type: 'merge',
    branch,
    from,
    by,
    messages: 0,
  });

  it.each([
    ['simulated', 'sim-bound', 'simulated_gemini', 'sim-summary'],
    ['simulated_responses', 'sim-summary', 'simulated', 'sim-interleaved'],
    ['simulated_gemini', 'sim-summary', 'simulated_chat', 'sim-interleaved'],
    ['keeps_responses', 'sim-summary', 'simulated_responses', 'sim-summary'],
  ])('SIM-90: merged twice, back, of a merge and behind a summary: %s/%s and %s/%s', async (...names) => {
    const [provider, model, other, otherModel] = names;
    const machine = await play([seat(provider, model), seat(other, otherModel)], { tools: 1 }, [
      talk(0),
      fork(0, 1, 1),
      talk(1),
      merge(0, 0, 'answer'),
      talk(0),
      { ...say('/sim tools x3'), branch: 1 },
      merge(0, 0, 'summary'),
      talk(0),
      // Back: what came from there stays there.
      merge(0, 1, 'messages'),
      talk(1),
      // A branch from before all of it gets what was merged, as a part of what is new.
      fork(0, 1, 1),
      merge(1, 2, 'messages'),
      talk(2),
      { type: 'compact', branch: 0, node: 5 },
      merge(1, 0, 'answer'),
      talk(0),
    ]);
    expect(machine.done).toMatchObject({ merges: 5, mergedSummaries: 1, mergedAgain: 1, mergesAcross: 4 });
    expect(machine.done.mergesOfMerges).toBeGreaterThan(0);
  });

  it('SIM-91: versions of the canvas are told, inherited and merged; a model’s own count for the next ones', async () => {
    const canvas = (branch: number, text: number, inContext = true): Action => ({
      type: 'canvas',
      branch,
      text,
      inContext,
    });
    const bring = (from: number, branch: number): Action => ({ type: 'merge_canvas', branch, from, choice: 'both' });
    const machine = await play(
      [seat('simulated', 'sim-bound'), seat('simulated_gemini', 'sim-summary')],
      { tools: 1 },
      [
        talk(0),
        canvas(0, 59),
        say('/sim tools x3', { toolCanvas: true }),
        canvas(0, 1),
        talk(0),
        fork(0, 1, 1),
        fork(0, 2, 1),
        canvas(2, 2),
        talk(2),
        canvas(0, 3, false),
        bring(2, 0),
        talk(0),
        canvas(2, 2),
        bring(0, 2),
        talk(2),
        bring(0, 1),
        talk(1),
      ],
    );
    expect(machine.done.canvasMerges).toBe(3);
    expect(machine.done.canvasConflicts).toBeGreaterThan(0);
  });
});

// Every history that ever failed, shrunk as far as possible.
describe('histories that failed once', () => {
  it.each([
    ['behind it', [0, 1, 0, 0, 1, 0]],
    ['before it', [0, 0, 0, 1, 1, 0]],
  ])('SIM-225: bound thinking goes back behind a summary of a summary if it was made %s', async (_, order) => {
    const nodes = [1, 3];
    const actions = order.map((what): Action =>
      what === 0 ? say('What is a tree?') : { type: 'compact', branch: 0, node: nodes.shift() ?? 0 },
    );
    const machine = await play([seat('simulated', 'sim-bound')], {}, actions);
    expect(machine.summaries).toBe(2);
  });

  it('SIM-10: bound thinking stays behind two messages that became one because the reply between them was refused', async () => {
    await play([seat('simulated', 'sim-bound')], {}, [
      say('/sim say ok'),
      say('What is a tree?', { ending: { type: 'refused', status: 500 } }),
      say('And what time is it?'),
      say('What is a tree?'),
    ]);
  });

  it.each([
    ['simulated', 'sim-interleaved'],
    ['simulated_responses', 'sim-summary'],
    ['simulated_gemini', 'sim-summary'],
    ['deepseek', 'deepseek-v4-flash'],
  ])('SIM-10: another model goes on from a tool result (%s)', async (provider, model) => {
    await play([seat('simulated_chat', 'sim-interleaved'), seat(provider, model)], { tools: 2 }, [
      say('/sim tools steps 3'),
      { type: 'regenerate', branch: 0, node: 1, change: { target: 1 }, turn: WELL },
      { ...say('What is a tree?'), branch: 1 },
    ]);
  });

  it('SIM-10: half a character in one of two joined messages is reported for the right one', async () => {
    await play([seat('openai', 'gpt-4o')], {}, [
      say('What is a tree?', { ending: { type: 'refused', status: 500 } }),
      say(TEXTS[3]),
    ]);
  });

  it('SIM-10: half a character beside a file is reported', async () => {
    await play([seat('openai', 'gpt-4o')], {}, [{ ...say(TEXTS[3]), files: 34 }]);
  });

  it('SIM-10: a message whose picture became a line is joined with the next one as it was sent', async () => {
    await play([seat('deepseek', 'deepseek-v4-flash')], {}, [
      { ...say('What is a tree?', { ending: { type: 'abort', after: 2 } }), files: 0 },
      say('What is a tree?'),
    ]);
  });

  it('SIM-10: what stands between a tool result and the next question is sent with cached turns, too', async () => {
    await play([seat('mistral', 'magistral-medium-latest')], { tools: 1 }, [
      { ...say('/sim empty'), files: 0 },
      say('What is a tree?'),
      { type: 'regenerate', branch: 0, node: 0, change: {}, turn: WELL },
      say('What is a tree?'),
    ]);
  });

  // Two dozen PDFs in the results of its first turn fill the window. The harness took the cut for a changed prefix.
  it('SIM-10: what the window does not hold is trimmed, and stays trimmed', async () => {
    const machine = await play([seat('simulated_chat', 'sim-parallel')], { tools: 1 }, [
      say('What is a tree?', { toolFiles: 1 }),
      say('/sim say ok'),
      say('/sim say ok'),
    ]);
    expect(machine.trims).toBe(1);
  });

  it('SIM-10: a message that had one picture too many loses the others as more come, and only then', async () => {
    await play([seat('mistral', 'mistral-medium-2604')], {}, [
      { ...say('What is a tree?'), files: 6 },
      { ...say('What is a tree?'), files: 5 },
    ]);
  });

  it('SIM-10: a stored response that ran in a container is not continued once that is gone', async () => {
    await play([seat('keeps_responses', 'sim-summary')], { providerTools: 2 }, [
      say('What is a tree?'),
      say('/sim expire'),
      say('What is a tree?'),
    ]);
  });

  it.each([
    ['simulated', 'sim-thinker'],
    ['simulated_responses', 'sim-summary'],
    ['keeps_responses', 'sim-summary'],
  ])('SIM-150: a container that was refused is not named again (%s)', async (provider, model) => {
    const machine = await play([seat(provider, model)], { providerTools: 2 }, [
      say('What is a tree?'),
      say('/sim expire'),
      { type: 'change', branch: 0, change: { providerTools: 0 } },
      say('/sim say ok'),
      { type: 'change', branch: 0, change: { providerTools: 2 } },
      say('/sim say ok'),
      say('What is a tree?'),
      say('/sim say ok'),
    ]);
    expect(machine.lostContainers).toBe(1);
  });

  it('SIM-150: nor on another branch that holds what ran in it', async () => {
    await play([seat('simulated_responses', 'sim-summary')], { providerTools: 2 }, [
      say('What is a tree?'),
      say('/sim say ok'),
      { type: 'regenerate', branch: 0, node: 1, change: {}, turn: WELL },
      say('/sim expire'),
      { ...say('What is a tree?'), branch: 1 },
    ]);
  });

  it('SIM-150: not even where raw is lost and only what was sent is left', async () => {
    await play([seat('simulated_responses', 'sim-summary')], { providerTools: 2 }, [
      say('What is a tree?'),
      say('What is a tree?'),
      { type: 'forget_raw', branch: 0, node: 0 },
      say('/sim expire'),
      say('/sim say ok'),
    ]);
  });

  // The harness took the new container, which is given files, for a changed prefix.
  it('SIM-150: a summary that is merged is asked for once more where its container was gone', async () => {
    const machine = await play([seat('openai_responses', 'gpt-5.4')], {}, [
      say('/sim expire', { ending: { type: 'refused', status: 400 } }),
      { type: 'fork', branch: 0, node: 0, change: { providerTools: 2 } },
      { ...say('What is a tree?'), branch: 1 },
      { type: 'merge', branch: 0, from: 0, by: 'summary', messages: 0 },
    ]);
    expect(machine.lostContainers).toBeGreaterThan(0);
  });

  it('SIM-10: there is nothing to answer behind a stray tool result', async () => {
    await play([seat('simulated', 'sim-thinker')], {}, [
      { type: 'import', branch: 0, of: 2 },
      { type: 'remove', branch: 0, node: 0 },
      { type: 'regenerate', branch: 0, node: 0, change: {}, turn: WELL },
    ]);
  });

  it.each([
    ['simulated', 'sim-thinker'],
    ['simulated_responses', 'sim-summary'],
    ['simulated_chat', 'sim-thinker'],
    ['simulated_gemini', 'sim-summary'],
  ])('SIM-10: there is nothing to answer where only instructions are left: %s', async (provider, model) => {
    await play([seat(provider, model)], {}, [
      { type: 'import', branch: 0, of: 3 },
      { type: 'choose', branch: 0, node: 0, choice: 'leave_out' },
      { type: 'regenerate', branch: 0, node: 0, change: {}, turn: WELL },
    ]);
  });

  it('SIM-10: a result that a sentence tells of is removed, and bound thinking after it stays out', async () => {
    await play([seat('simulated_chat', 'sim-interleaved'), seat('anthropic', 'claude-fable-5-2')], { tools: 2 }, [
      say('/sim tools calculator x2 steps 2'),
      { type: 'change', branch: 0, change: { target: 1 } },
      say('What is a tree?'),
      { type: 'remove', branch: 0, node: 2 },
      say('And what time is it?'),
      say('What is a tree?'),
    ]);
  });
});
