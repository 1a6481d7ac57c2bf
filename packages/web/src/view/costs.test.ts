import type { CallView, CostRow } from '@bough/api/client';
import { describe, expect, it } from 'vitest';
import { cacheText } from './cache-money.ts';
import { dailyCosts, groupedCosts, sumOf } from './costs.ts';
import { whole } from '../i18n/later/index.ts';
import { createTranslator } from '../i18n/index.ts';

const row = (change: Partial<CostRow>): CostRow => ({
  day: '2026-11-01',
  projectId: 'p',
  projectName: 'Trees',
  client: null,
  provider: 'anthropic',
  model: 'm',
  calls: 1,
  inputTokens: 100,
  cachedInputTokens: 60,
  cacheWriteTokens: 30,
  outputTokens: 20,
  reasoningTokens: 5,
  cost: 0.5,
  unpriced: 0,
  uncounted: 0,
  ...change,
});
const UNKNOWN = { cost: null, unpriced: 1 } as const;

describe('what was spent', () => {
  it('WEB-624: rows are summed up; what nobody knows is counted apart and never as zero', () => {
    const groups = groupedCosts(
      [row({}), row({ day: '2026-11-03', ...UNKNOWN }), row({ model: 'n', ...UNKNOWN })],
      'model',
    );
    expect(groups).toMatchObject([
      { name: 'm', calls: 2, fresh: 20, read: 120, written: 60, cost: 0.5, unknown: 1 },
      { name: 'n', calls: 1, cost: null, unknown: 1 },
    ]);
    expect(sumOf(groups)).toMatchObject({ calls: 3, fresh: 30, output: 60, reasoning: 15, cost: 0.5, unknown: 2 });
    expect(sumOf(groupedCosts([row(UNKNOWN)], 'day')).cost).toBeNull();
  });

  it('WEB-624: days without calls lie between the others, and days with unknown prices are marked', () => {
    const days = dailyCosts([row({ day: '2026-11-03', ...UNKNOWN }), row({ day: '2026-11-01' })]);
    expect(days).toEqual([
      { day: '2026-11-01', cost: 0.5, isPartial: false },
      { day: '2026-11-02', cost: 0, isPartial: false },
      { day: '2026-11-03', cost: 0, isPartial: true },
    ]);
    expect(dailyCosts([])).toEqual([]);
  });
});

describe('what a cache gave', () => {
  const t = createTranslator('en', whole);
  const usage = { inputTokens: 1_000, cachedInputTokens: 900, cacheWriteTokens: 60, outputTokens: 10 };
  const money: NonNullable<CallView['money']> = {
    fresh: 0.01,
    read: 0.02,
    written: 0.03,
    answer: 0,
    reasoning: 0,
    others: 0,
    saved: 0.1,
    missedTokens: 40,
    missed: 0.04,
    missedBecause: 'expired',
  };

  it('WEB-623: read, written and missed tokens with their money, summed over calls', () => {
    expect(cacheText([{ usage, money }], t)).toBe('900 read ($0.02) · 60 written ($0.03) · 40 missed ($0.04)');
    // Where nothing was read, what was missed is all there is to tell.
    const nothing = { inputTokens: 1_000, cachedInputTokens: 0, outputTokens: 10 };
    expect(cacheText([{ usage: nothing, money: { ...money, read: 0 } }], t)).toBe('0 read ($0.00) · 40 missed ($0.04)');
    const none = { ...money, missedBecause: null };
    expect(
      cacheText(
        [
          { usage, money: none },
          { usage, money: none },
        ],
        t,
      ),
    ).toBe('1,800 read ($0.04) · 120 written ($0.06)');
  });

  it('WEB-623: without a price only tokens; without a cache nothing', () => {
    expect(cacheText([{ usage, money: null }], t)).toBe('900 tokens read from it, 60 written to it, 40 new');
    expect(cacheText([{ usage: { inputTokens: 5, outputTokens: 5 }, money }], t)).toBeNull();
    expect(cacheText([], t)).toBeNull();
  });
});
