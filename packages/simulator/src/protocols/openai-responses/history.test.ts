import type { ContextItem, ThinkingSetting } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../log/index.ts';
import { createLog } from '../../log/index.ts';
import { planReply } from '../../plan/index.ts';
import { createWorld } from '../../world/index.ts';
import type { Settings } from './testing.ts';
import { Conversation, deploymentUnderTest } from './testing.ts';

const MODELS = ['sim-summary', 'sim-hidden', 'sim-interleaved', 'sim-parallel', 'sim-plain', 'gpt-5.5', 'gpt-4o', 'o3'];
const MESSAGES = [
  'Hello.',
  'What is 3 * 4?',
  '/sim think 3',
  '/sim redacted 2',
  '/sim unknown',
  '/sim empty',
  '/sim refuse',
  '/sim max_tokens',
  '/sim unicode',
  '/sim tools x3 steps 2',
];
const TOOLS = [{ name: 'calculator', description: 'Calculates.', inputSchema: { type: 'object' } }];

/** One thing that a person may do. */
const anyStep = fc.record({
  message: fc.constantFrom(...MESSAGES),
  /** Mostly the same model; sometimes another one, and back. */
  model: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...MODELS) }),
  thinking: fc.constantFrom<ThinkingSetting>('off', 'low', 'high', { budgetTokens: 9000 }),
  stream: fc.boolean(),
  tools: fc.boolean(),
  /** After how many events the stream breaks; most streams do not. */
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(40) }),
  omit: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  /** The person goes back: everything after this fraction of the path is left behind. */
  fork: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
});

interface Outcome {
  readonly log: readonly LogEntry[];
  readonly problems: readonly string[];
}

function play(
  steps: readonly (typeof anyStep extends fc.Arbitrary<infer Step> ? Step : never)[],
  store: boolean,
): Outcome {
  const log = createLog();
  const problems: string[] = [];
  const world = createWorld({
    seed: 'property',
    plan: planReply,
    note: (entry) => log.add({ path: '', model: null, ...entry }),
    now: () => 0,
  });
  const talk = new Conversation(world);
  const deployment = deploymentUnderTest({ storeResponses: store });
  let model = MODELS[0] ?? '';
  for (const step of steps) {
    model = step.model ?? model;
    const settings: Settings = {
      model,
      thinking: step.thinking,
      stream: step.stream,
      tools: step.tools ? TOOLS : [],
      deployment,
    };
    forkAt(talk, step.fork);
    if (step.omit) omitReasoning(talk);
    talk.say(step.message);
    for (let call = 0; call < 4; call += 1) {
      const request = talk.prepare(settings);
      problems.push(...request.violations.map(({ rule, message }) => `${rule}: ${message}`));
      const lossesBefore = lossesIn(log.entries());
      const answer = talk.send(request);
      // Whatever the simulator finds missing must have been reported: by a note, or by the decision to omit reasoning.
      const isReported = request.notes.length > 0 || talk.items.some(isOmitted);
      if (!isReported && lossesIn(log.entries()) > lossesBefore)
        problems.push(`A loss that nobody reported: ${request.body}`);
      if (answer.type === 'body' && answer.status !== 200) break;
      const before = talk.items.length;
      talk.receive(answer, settings, answer.type === 'stream' ? (step.cut ?? Infinity) : Infinity);
      // Only calls lead to another request.
      if (talk.items.length - before <= 1) break;
    }
  }
  return { log: log.entries(), problems };
}

const lossesIn = (entries: readonly LogEntry[]): number => entries.filter(({ kind }) => kind === 'silent_drop').length;
const isOmitted = (item: ContextItem): boolean => item.source === 'raw' && item.reasoning === 'omit';

/** Cuts the path between turns: a call keeps its results. */
function forkAt(talk: Conversation, share: number): void {
  if (share >= 1) return;
  let keep = Math.floor(talk.items.length * share);
  while (keep > 0 && talk.items[keep]?.message.role !== 'user') keep -= 1;
  talk.items.length = keep;
}

/** A changed system prompt, as core treats it: all reasoning up to here stays out. */
function omitReasoning(talk: Conversation): void {
  talk.items.forEach((item, at) => {
    talk.items[at] = { ...item, reasoning: 'omit' };
  });
}

describe('random conversations', () => {
  test.each([false, true])(
    'SIM-OAR-8: none is refused, nothing is lost unsaid, and preflight has nothing to repair (stored: %s)',
    (store) => {
      fc.assert(
        fc.property(fc.array(anyStep, { minLength: 1, maxLength: 8 }), (steps) => {
          const { log, problems } = play(steps, store);
          expect(log.filter(({ kind }) => kind === 'rejected')).toEqual([]);
          expect(problems).toEqual([]);
        }),
        { numRuns: 100, seed: 20261115 },
      );
    },
  );
});
