import type { NodeId } from '@bough/core';
import { nodeId } from '@bough/core';
import type { CallReportLine } from '@bough/providers';
import { describe, expect, it } from 'vitest';
import { effectOf, withChoices } from './index.ts';

const line = (id: string, estimatedTokens: number, more: Partial<CallReportLine> = {}): CallReportLine => ({
  nodeId: nodeId(id) satisfies NodeId,
  fidelity: 'verbatim',
  reasons: [],
  details: [],
  estimatedTokens,
  ...more,
});
const weighed = (...report: readonly CallReportLine[]) => ({
  report,
  estimatedTokens: report.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0),
});
const GONE = { fidelity: 'dropped', reasons: ['left_out'] } as const;

describe('what choices change', () => {
  it('EN-293: tells the tokens that are spared, and those behind the change that are written again, with their price', () => {
    const before = weighed(line('a', 100), line('b', 50), line('c', 1_000, { reasoning: 'goes_back' }), line('d', 10));
    const after = weighed(line('a', 100), line('b', 0, GONE), line('c', 900, { reasoning: 'left_out' }), line('d', 10));
    const price = { input: 3, output: 15, cacheWrite: 4, asOf: '2026-01-01' };
    expect(effectOf(before, after, price)).toEqual({
      savedTokens: 150,
      rewrittenTokens: 910,
      rewriteCost: (910 * 4) / 1_000_000,
      lostReasoning: ['c'],
    });
    expect(effectOf(before, after, undefined).rewriteCost).toBe(null);
  });

  it('EN-919: what a cache finds of the changed request is not written again; what it does not find before it, is', () => {
    const before = weighed(line('a', 1_000), line('b', 500), line('c', 300), line('d', 10));
    const after = weighed(line('a', 1_000), line('b', 0, GONE), line('c', 300), line('d', 10));
    const rewritten = (...[cached]: [Parameters<typeof effectOf>[3]]): number =>
      effectOf(before, after, undefined, cached).rewrittenTokens;
    const every = { repeatedTokens: 0, uncachedTokens: null, findsOnlyEnds: false };
    expect(rewritten(every)).toBe(310);
    // Nothing ended where the change begins, or so far back that it is not looked for.
    expect(rewritten({ ...every, findsOnlyEnds: true })).toBe(1_310);
    expect(rewritten({ ...every, findsOnlyEnds: true, repeatedTokens: 1_000 })).toBe(310);
    // The changed request was sent a moment ago: the change is taken back.
    expect(rewritten({ ...every, repeatedTokens: 1_300, uncachedTokens: 10 })).toBe(10);
  });

  it('EN-293: what changes nothing costs nothing', () => {
    const same = weighed(line('a', 100), line('b', 50, { reasoning: 'goes_back' }));
    expect(effectOf(same, same, undefined)).toEqual({
      savedTokens: 0,
      rewrittenTokens: 0,
      rewriteCost: null,
      lostReasoning: [],
    });
  });

  it('EN-290: a change names only what changes', () => {
    expect(withChoices({ a: 'pin', b: 'leave_out' }, { b: null, c: 'pin' })).toEqual({ a: 'pin', c: 'pin' });
  });
});
