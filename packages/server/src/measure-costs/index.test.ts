import { beforeAll, describe, expect, it } from 'vitest';
import type { Measured } from './index.ts';
import { measureCosts } from './index.ts';

let measured: readonly Measured[] = [];
beforeAll(async () => {
  measured = await measureCosts(12_000, () => undefined);
}, 60_000);

function find(model: string, what: string): Measured {
  const row = measured.find((each) => each.model === model && each.what === what);
  if (row === undefined) throw new Error(`${model}: ${what} was not measured.`);
  return row;
}

const MODELS = [
  ['claude-sonnet-5', 'the provider’s own'],
  ['gpt-6-sol', 'by asking the model'],
] as const;

describe.each(MODELS)('what a cache must not lose: %s', (model, maker) => {
  it('SV-257: next messages, forks, and a switch there and back read what was sent', () => {
    expect(find(model, 'the first message').read).toBe(0);
    for (const what of ['the next message', 'a fork one message back', 'and back', 'the message after that']) {
      const { read, inputTokens, uncached, cost } = find(model, what);
      expect.soft(read / inputTokens, what).toBeGreaterThan(0.9);
      expect.soft(uncached - cost, what).toBeGreaterThan(uncached * 0.7);
    }
    // What stands before the change is read where the provider sees every beginning, or where a mark stands.
    const { read, inputTokens } = find(model, 'one answer in the middle left out');
    expect.soft(read).toBeGreaterThan(1_400);
    expect.soft(read).toBeLessThan(inputTokens * 0.7);
  });

  it('SV-494: the request for a summary reads what was sent, and messages after it cost less than before', () => {
    const next = find(model, 'the next message');
    const summary = find(model, `the request for a summary of everything, ${maker}`);
    expect.soft(summary.inputTokens).toBeGreaterThan(next.inputTokens);
    expect.soft(summary.read / summary.inputTokens).toBeGreaterThan(0.9);
    for (const which of ['first', 'second']) {
      const after = find(model, `the ${which} message after the summary of everything`);
      // Only the instructions are as long as they were.
      expect.soft(after.inputTokens, which).toBeLessThan(7_000);
      expect.soft(after.cost, which).toBeLessThan(next.cost * 0.6);
    }
    // What stays behind a summary of a part is written once in its new place, and read from then on.
    const kept = find(model, 'the second message after the summary of all but the last ten turns');
    expect.soft(kept.inputTokens).toBeLessThan(next.inputTokens);
    expect.soft(kept.read / kept.inputTokens).toBeGreaterThan(0.9);
  });
});
