import type { CostRow } from '@bough/api';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson, table } from '../terminal/index.ts';

const GROUPS = ['day', 'project', 'client'] as const;

/** A branch has one sum per model. */
const ALL = { without: ['branch'] } as const;

export const costs: Command = {
  name: 'costs',
  summary: 'What was spent, by model; with a branch, what its messages cost.',
  positionals: [{ name: 'branch', optional: true }],
  options: {
    ...PROJECT_OPTION,
    by: { description: 'also by day, project or client; several with commas between', value: 'what', ...ALL },
    from: { description: 'the first day that counts, as 2026-11-18 (UTC)', value: 'day', ...ALL },
    until: { description: 'the last day that counts', value: 'day', ...ALL },
    csv: { description: 'print a table for other programs', ...ALL },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough costs', 'bough costs --by day,project --from 2026-11-01', 'bough costs --csv', 'bough costs main'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const by = input.text('by');
      const wrong = (by ?? '').split(',').find((group) => group !== '' && !isGroup(group));
      if (wrong !== undefined) throw new UsageError(`--by takes ${GROUPS.join(', ')}, not "${wrong}".`);
      const name = input.positional('branch');
      if (name !== undefined) {
        const { id } = await projectOption(client, input);
        const { rows } = await client.branchCosts(id, (await branchOf(client, id, name)).id);
        print(rows);
        return 0;
      }
      const project = input.text('project') === undefined ? undefined : (await projectOption(client, input)).id;
      const query = { project, by, from: input.text('from'), until: input.text('until') };
      if (input.flag('csv')) terminal.writeExactly(await client.costsCsv(query));
      else print((await client.costs(query)).rows);
      return 0;

      function print(rows: readonly CostRow[]): void {
        if (input.flag('json')) printJson(terminal, rows);
        else if (rows.length === 0) terminal.write('Nothing was spent.\n');
        else terminal.write(textOf(rows));
      }
    }),
};

const isGroup = (name: string): boolean => (GROUPS as readonly string[]).includes(name);

function textOf(rows: readonly CostRow[]): string {
  const shown = (
    [
      ['day', 'day'],
      ['projectName', 'project'],
      ['client', 'client'],
    ] as const
  ).filter(([key]) => rows.some((row) => row[key] !== null));
  const head = ['model', 'calls', 'input', 'read', 'written', 'output', 'reasoning', 'cost', ''];
  return table(
    [...shown.map(([, name]) => name), ...head],
    rows.map((row) => [
      ...shown.map(([key]) => row[key] ?? '(deleted)'),
      `${row.provider}/${row.model}`,
      ...[row.calls, row.inputTokens, row.cachedInputTokens, row.cacheWriteTokens].map(String),
      ...[row.outputTokens, row.reasoningTokens].map(String),
      row.cost === null ? 'unknown' : `$${Number(row.cost.toFixed(6))}`,
      notesOf(row),
    ]),
  );
}

/** Unknown is not zero: what is missing from the cost is said. */
function notesOf({ unpriced, uncounted }: CostRow): string {
  return [
    unpriced === 0 ? '' : `${unpriced} without a price`,
    uncounted === 0 ? '' : `${uncounted} not counted by the provider`,
  ]
    .filter((note) => note !== '')
    .join('; ');
}
