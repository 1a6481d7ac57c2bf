import { projectId } from '@bough/core';
import type { ModelSpending, SpendingQuery } from '@bough/store';
import { describe, expect, it } from 'vitest';
import type { Budget, BudgetEvent } from './index.ts';
import { budgetNote, createBudgets, isAbout, overBudgetSentence, periodOf } from './index.ts';

const DAILY: Budget = {
  name: 'daily',
  project: null,
  client: null,
  per: 'day',
  unit: 'usd',
  limit: 5,
  warnAt: 0.8,
  from: 'page',
};
const P = projectId('p');
const CALL = { project: P, client: 'codex', model: 'm', isPriced: true };

const spent = (cost: number, more: Partial<ModelSpending> = {}): ModelSpending => ({
  day: null,
  project: null,
  client: null,
  provider: 'v',
  model: 'm',
  calls: 1,
  uncounted: 0,
  unpriced: 0,
  inputTokens: 900,
  outputTokens: 100,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost,
  ...more,
});

function stage(budgets: readonly Budget[], found: readonly ModelSpending[], now = '2026-11-18T23:59:59.999Z') {
  const events: BudgetEvent[] = [];
  const queries: SpendingQuery[] = [];
  const store = {
    spending: (query: SpendingQuery): Promise<readonly ModelSpending[]> => {
      queries.push(query);
      return Promise.resolve(found);
    },
  };
  const observe = (event: BudgetEvent): void => void events.push(event);
  const made = createBudgets({ store, now: () => new Date(now), budgets: () => budgets, observe });
  return { ...made, events, queries };
}

describe('budgets', () => {
  it('EN-220: a period is a day or a month of UTC, and ends with it', () => {
    expect(periodOf('day', new Date('2026-12-31T23:30:00-05:00'))).toEqual({
      from: '2027-01-01',
      endsAt: '2027-01-02T00:00:00.000Z',
    });
    expect(periodOf('month', new Date('2026-12-31T23:59:59Z'))).toEqual({
      from: '2026-12-01',
      endsAt: '2027-01-01T00:00:00.000Z',
    });
    expect(periodOf('total', new Date())).toEqual({ from: null, endsAt: null });
  });

  it('EN-220: counts whom it is about, and asks the store for nothing else', async () => {
    const budgets: readonly Budget[] = [
      DAILY,
      { ...DAILY, project: '*', per: 'total' },
      { ...DAILY, project: P, client: '*', per: 'month' },
      { ...DAILY, project: projectId('other') },
      { ...DAILY, client: 'claude-code' },
    ];
    const { admit, queries } = stage(budgets, []);
    await admit(CALL);
    expect(queries).toEqual([
      { from: '2026-11-18' },
      { project: P },
      { from: '2026-11-01', project: P, client: 'codex' },
    ]);
    expect(isAbout({ ...DAILY, project: '*' }, { project: null, client: 'x' })).toBe(false);
  });

  it.each([
    [3.99, 'ok', []],
    [4, 'warn', ['warned']],
    [4.999, 'warn', ['warned']],
    [5, 'over', ['refused']],
  ])('EN-221: %d of 5 dollars: %s', async (cost, level, outcomes) => {
    const { admit, list, events } = stage([DAILY], [spent(cost - 1), spent(1, { model: 'n' })]);
    const { refusedBy, told } = await admit(CALL);
    expect((await list())[0]).toMatchObject({ level, used: cost });
    expect(refusedBy?.budget.name ?? null).toBe(level === 'over' ? 'daily' : null);
    expect(told).toHaveLength(level === 'ok' ? 0 : 1);
    expect(events.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('EN-221: somebody who says so goes beyond it, and that is noted', async () => {
    const { admit, events } = stage([DAILY], [spent(7)]);
    expect(await admit(CALL, true)).toMatchObject({ refusedBy: null, told: [{ level: 'over' }] });
    expect(events).toEqual([{ type: 'budget', budget: 'daily', outcome: 'exceeded' }]);
  });

  it('EN-222: what is not known is told, and never taken for nothing', async () => {
    const unknown = [spent(0, { model: 'free', unpriced: 2 }), spent(1, { uncounted: 3 })];
    const { admit } = stage([DAILY, { ...DAILY, unit: 'tokens', limit: 10_000, name: 'tokens' }], unknown);
    const { told } = await admit({ ...CALL, model: 'ünknown', isPriced: false });
    expect(told.map(budgetNote)).toEqual([
      'daily without unpriced free ?nknown; daily without 3 uncounted',
      'tokens without 3 uncounted',
    ]);
    expect(told.map(({ used }) => used)).toEqual([1, 2_000]);
  });

  it('EN-223: the sentence says what limit, how much, until when, and where to raise it', async () => {
    const sentenceOf = async (budget: Budget): Promise<string> => {
      const { refusedBy } = await stage([budget], [spent(5.126, { inputTokens: 12_345 })]).admit(CALL);
      return refusedBy === null ? '' : overBudgetSentence(refusedBy);
    };
    expect(await sentenceOf(DAILY)).toBe(
      'The budget "daily" is used up: 5.13 of 5.00 USD today. It begins anew at 2026-11-19 00:00 UTC. ' +
        'It can be raised in the settings of Bough, under Budgets.',
    );
    const own: Budget = {
      ...DAILY,
      project: '*',
      client: '*',
      per: 'total',
      unit: 'tokens',
      limit: 1_000,
      from: 'file',
    };
    expect(await sentenceOf(own)).toBe(
      'The budget "daily" is used up: 12,445 of 1,000 tokens in all in this project by codex. It does not begin anew. ' +
        'It can be raised in the configuration file of Bough.',
    );
    expect(await sentenceOf({ ...DAILY, limit: 0.000_5 })).toContain('5.126 of 0.0005 USD');
  });
});
