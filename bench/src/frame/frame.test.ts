import { describe, expect, it } from 'vitest';
import { chart } from './chart.ts';
import { growth, hold, short } from './contest.ts';
import { quantile, spreadOf } from './spread.ts';
import { table } from './table.ts';

describe('a contest', () => {
  it('lets everybody run in every round, begins each round with another one, and does not count the first', async () => {
    const order: string[] = [];
    const contestant = (name: string, role: 'bough' | 'floor', values: number[]) => ({
      name,
      role,
      run: () => {
        order.push(name);
        return values.shift() ?? Number.NaN;
      },
    });
    const result = await hold({
      work: 'fold',
      size: 'one',
      unit: 'ms',
      rounds: 3,
      contestants: [contestant('us', 'bough', [99, 2, 4, 6]), contestant('pipe', 'floor', [99, 1, 2, 3])],
      goals: [
        { atMost: 1.5, times: 'pipe' },
        { atMost: 2, above: 'pipe' },
        { atMost: 4, absolute: true },
      ],
    });
    expect(order).toEqual(['us', 'pipe', 'us', 'pipe', 'pipe', 'us', 'us', 'pipe']);
    expect(result.figures).toEqual([
      { contestant: 'us', role: 'bough', median: 4, low: 3, high: 5, timesFloor: { median: 2, low: 2, high: 2 } },
      { contestant: 'pipe', role: 'floor', median: 2, low: 1.5, high: 2.5 },
    ]);
    expect(result.verdicts).toEqual([
      { goal: '≤ 1.5 × pipe', value: 2, met: false },
      { goal: '≤ 2 ms above pipe', value: 2, met: true },
      { goal: '≤ 4 ms', value: 4, met: true },
    ]);
    expect(growth(result, result, 1.2)).toEqual({ goal: '≤ 1.2 × one at one', value: 1, met: true });
    expect(table([result])).toContain('MISSED: ≤ 1.5 × pipe (2)');
    expect(chart([result])).toContain('2 ×');
  });

  it('takes a goal against nobody for a mistake, not for a goal that was met', async () => {
    const us = { name: 'us', role: 'bough' as const, run: () => 1 };
    const contest = { work: 'w', size: 's', unit: 'ms', rounds: 1, contestants: [us] };
    await expect(hold({ ...contest, goals: [{ atMost: 1, times: 'nobody' }] })).rejects.toThrow('nobody');
  });
});

describe('figures', () => {
  it('lie between samples where none is in the middle', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, low: 1.75, high: 3.25 });
    expect(quantile([1], 0.99)).toBe(1);
    expect(() => spreadOf([])).toThrow('at least one round');
  });

  it('are written with three digits that count', () => {
    expect([0, 0.012345, 1.2345, 45.678, 12_345.6].map(short)).toEqual(['0', '0.0123', '1.23', '45.7', '12,346']);
  });
});
