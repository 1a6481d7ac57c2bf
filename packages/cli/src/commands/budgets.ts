import type { BudgetView } from '@bough/api';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { printJson, table } from '../terminal/index.ts';

export const budgets: Command = {
  name: 'budgets',
  summary: 'What is used of each budget, and by whom.',
  positionals: [],
  options: CONNECTION_OPTIONS,
  examples: ['bough budgets', 'bough budgets --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const { budgets: all } = await client.listBudgets();
      if (input.flag('json')) printJson(terminal, all);
      else if (all.length === 0) terminal.write('There are no budgets. docs/settings.md says how to set one.\n');
      else terminal.write(table(['budget', 'of', 'used', 'limit', 'begins anew', 'notes'], all.flatMap(rowsOf)));
      return 0;
    }),
};

const NOTES = { ok: '', warn: 'nearly used up', over: 'used up' } as const;

function rowsOf({ name, unit, limit, endsAt, uses }: BudgetView): readonly (readonly string[])[] {
  const amount = (value: number): string => (unit === 'usd' ? `$${Number(value.toFixed(6))}` : `${value} tokens`);
  const ends = endsAt === null ? 'never' : `${endsAt.slice(0, 16).replace('T', ' ')} UTC`;
  if (uses.length === 0) return [[name, '', amount(0), amount(limit), ends, '']];
  return uses.map(({ projectId, projectName, client, used, level, unpriced, uncounted }) => [
    name,
    [projectName ?? projectId, client].filter((each) => each !== null).join(', '),
    amount(used),
    amount(limit),
    ends,
    [
      NOTES[level],
      unpriced.length === 0 ? '' : `price unknown: ${unpriced.join(' ')}`,
      uncounted === 0 ? '' : `${uncounted} calls not counted`,
    ]
      .filter((note) => note !== '')
      .join('; '),
  ]);
}
