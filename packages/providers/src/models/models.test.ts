import { describe, expect, it } from 'vitest';
import { BUILT_IN_DEPLOYMENTS } from '../deployments/index.ts';
import { costOf, costParts } from './cost.ts';
import { PRICE_LISTS } from './prices.ts';
import { modelLookup, unknownModel } from './lookup.ts';
import { thinkingBudget, thinkingLevel } from './thinking.ts';

const PRICE = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75, asOf: '2026-11-01' };

describe('costOf', () => {
  it('MOD-1: cached, written and fresh input are priced apart', () => {
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 600_000,
      cacheWriteTokens: 100_000,
      outputTokens: 10_000,
    };
    expect(costOf(usage, PRICE)).toBeCloseTo(0.3 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.01 * 15, 10);
  });

  it('MOD-1: reasoning tokens are part of the output and are not charged twice', () => {
    expect(costOf({ inputTokens: 0, outputTokens: 1_000_000, reasoningTokens: 900_000 }, PRICE)).toBe(15);
  });

  it('MOD-2: an absent price or count is unknown, not zero', () => {
    expect(costOf({ inputTokens: 5, outputTokens: 5 }, undefined)).toBeNull();
    expect(costOf({ inputTokens: 5 }, PRICE)).toBeNull();
    expect(costOf(null, PRICE)).toBeNull();
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, PRICE)).toBe(0);
  });

  it('MOD-1: cached tokens without a price of their own cost what input costs', () => {
    const price = { input: 2, output: 4, asOf: '2026-11-01' };
    expect(costOf({ inputTokens: 1_000_000, cachedInputTokens: 500_000, outputTokens: 0 }, price)).toBe(2);
  });

  it('MOD-1: a provider that counts cached tokens beside the input never gives a negative cost', () => {
    expect(costOf({ inputTokens: 10, cachedInputTokens: 1_000_000, outputTokens: 0 }, PRICE)).toBeCloseTo(0.3, 10);
  });
});

describe('parts of a cost', () => {
  it('MOD-71: what stays for an hour, what was reasoning and what other models used have their own prices', () => {
    const price = { ...PRICE, longCacheWrite: 6 };
    const usage = {
      inputTokens: 1_000_000,
      cacheWriteTokens: 300_000,
      longCacheWriteTokens: 200_000,
      outputTokens: 100_000,
      reasoningTokens: 40_000,
      others: [{ model: 'claude-opus-5', inputTokens: 500_000, outputTokens: 20_000 }],
    };
    const parts = costParts(usage, price);
    expect(parts?.fresh).toBeCloseTo(0.2 * 3, 10);
    expect(parts?.written).toBeCloseTo(0.1 * 3.75 + 0.2 * 6, 10);
    expect(parts?.reasoning).toBeCloseTo(0.04 * 15, 10);
    expect(parts?.answer).toBeCloseTo(0.04 * 15, 10);
    expect(parts?.others).toBeCloseTo(0.5 * 5 + 0.02 * 25, 10);
    const unknown = { ...usage, others: [{ model: 'nobody-knows', inputTokens: 1, outputTokens: 1 }] };
    expect(costOf(unknown, price)).toBeNull();
  });

  it('MOD-72: every price is in one file, with its source and date, and belongs to a model that is listed', () => {
    const listed = new Set(BUILT_IN_DEPLOYMENTS.flatMap(({ models }) => models.map(({ id }) => id)));
    for (const [vendor, { source, asOf, models }] of Object.entries(PRICE_LISTS)) {
      expect(source, vendor).toMatch(/^https:/);
      expect(asOf, vendor).toMatch(/^2026-\d\d-\d\d$/);
      const earlier = /^claude-(?:opus-4(?:-1)?|sonnet-4|3-7-sonnet)$/;
      expect(
        Object.keys(models).filter((id) => !listed.has(id) && !earlier.test(id)),
        vendor,
      ).toEqual([]);
    }
    for (const { id, models } of BUILT_IN_DEPLOYMENTS)
      for (const model of models)
        if (model.price !== undefined)
          expect(
            Object.values(PRICE_LISTS).some(({ models: all }) => Object.hasOwn(all, model.id)),
            `${id} ${model.id}`,
          ).toBe(true);
  });
});

describe('modelLookup', () => {
  const listed = { ...unknownModel('sage-2', { contextWindow: 500_000 }), known: true };
  const lookup = modelLookup([listed]);

  it('MOD-3: finds a model, and a dated snapshot of it under its own id', () => {
    expect(lookup('sage-2')).toBe(listed);
    for (const id of ['sage-2-20260901', 'sage-2-2026-09-01', 'sage-2-latest']) {
      expect(lookup(id)).toEqual({ ...listed, id });
    }
  });

  it('MOD-4: an unknown model works with conservative limits and says that it is unknown', () => {
    expect(lookup('sage-3')).toMatchObject({
      id: 'sage-3',
      known: false,
      maxOutputTokens: 4_096,
      canThink: false,
      bindsThinkingToPrefix: true,
    });
    expect(lookup('sage-2-mini').known).toBe(false);
  });
});

describe('thinking settings', () => {
  it('MOD-5: names and budgets map to each other', () => {
    for (const name of ['low', 'medium', 'high'] as const) {
      expect(thinkingLevel({ budgetTokens: thinkingBudget(name) })).toBe(name);
    }
    expect(thinkingBudget('off')).toBe(0);
    expect(thinkingLevel({ budgetTokens: 0 })).toBe('off');
    expect(thinkingBudget({ budgetTokens: 1500.9 })).toBe(1500);
  });
});
