import { builtInTools } from '@bough/server';
import type { DatasetCount } from '@bough/transfer';
import {
  countDataset,
  DATASET_FORMATS,
  DATASET_REASONINGS,
  DATASET_SHAPES,
  datasetOptions,
  writeDataset,
} from '@bough/transfer';
import { resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS } from '../connect/index.ts';
import { oneOf } from '../connect/names.ts';
import { withStore } from '../connect/store.ts';
import { printJson, startProgress } from '../terminal/index.ts';

export const dataset: Command = {
  name: 'dataset',
  summary: 'Write conversations, or preferences from verdicts, as data to train and evaluate models with.',
  positionals: [{ name: 'project', optional: true }],
  options: {
    all: { description: 'of all projects' },
    shape: { description: 'what a record is (default messages)', value: 'shape', choices: DATASET_SHAPES },
    out: { description: 'the directory; without it, what would be written is counted', value: 'path', short: 'o' },
    format: { description: 'how the data is written (default jsonl)', value: 'format', choices: DATASET_FORMATS },
    reasoning: {
      description: 'reasoning in a field, between <think> tags, or none (default none)',
      value: 'way',
      choices: DATASET_REASONINGS,
    },
    'no-tools': { description: 'leave out tools, their calls and results' },
    files: { description: 'put the files of messages beside the data' },
    starred: { description: 'only replies with a star' },
    verdict: { description: 'only replies with this verdict; may be repeated', value: 'verdict', many: true },
    blind: { description: 'only verdicts of blind comparisons' },
    model: { description: 'only replies of this model; may be repeated', value: 'model', many: true },
    since: { description: 'only replies of this day or later', value: 'day' },
    until: { description: 'only replies of this day or earlier', value: 'day' },
    notes: { description: 'with private notes and the reasons of verdicts, in records.jsonl' },
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough dataset "Sky colours"',
    'bough dataset "Sky colours" --shape sharegpt --reasoning think --out ./sky-data',
    'bough dataset --all --shape preference --format parquet --out ./preferences',
  ],
  run: (input, terminal) => {
    const named = input.positional('project');
    if ((named === undefined) !== input.flag('all')) throw new UsageError('Name one project, or say --all.');
    if (input.text('server') !== undefined)
      throw new UsageError('A dataset is read from the store itself. Use --data and --store instead of --server.');
    const options = optionsOf(input);
    return withStore(input, terminal, async (store) => {
      const listed = await store.listProjects();
      const projects = named === undefined ? listed : [oneOf('project', named, listed, ({ name }) => name)];
      const out = input.text('out');
      if (out === undefined) {
        const count = await countDataset(store, projects, options);
        if (input.flag('json')) printJson(terminal, count);
        else terminal.write(`${sentences(count)}Nothing was written: name a directory with --out.\n`);
        return 0;
      }
      const progress = startProgress(terminal, 'Writing', null);
      const report = await writeDataset(store, projects, resolve(terminal.cwd, out), options, (count) =>
        progress.update(count, 'records'),
      ).finally(() => progress.end());
      if (input.flag('json')) printJson(terminal, report);
      else terminal.write(`${report.directory}: ${sentences(report)}`);
      return 0;
    });
  },
};

function optionsOf(input: Input) {
  const choice = <Value extends string>(values: readonly Value[], option: string): Value | undefined =>
    values.find((value) => value === input.text(option));
  const format = choice(DATASET_FORMATS, 'format');
  const reasoning = choice(DATASET_REASONINGS, 'reasoning');
  return datasetOptions({
    shape: choice(DATASET_SHAPES, 'shape') ?? 'messages',
    ...(format !== undefined && { format }),
    ...(reasoning !== undefined && { reasoning }),
    tools: !input.flag('no-tools'),
    files: input.flag('files'),
    notes: input.flag('notes'),
    starred: input.flag('starred'),
    verdicts: input.texts('verdict'),
    blind: input.flag('blind'),
    models: input.texts('model'),
    since: input.text('since'),
    until: input.text('until'),
    // Servers of other tools are not started for this: their tools are counted as unknown.
    definitions: builtInTools(),
  });
}

function sentences({ records, leftOut }: DatasetCount): string {
  const told = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`)
      .join(', ');
  const [skipped, parts] = [told(leftOut.records), told(leftOut.parts)];
  return [
    `${records} record(s).\n`,
    ...(skipped === '' ? [] : [`No records: ${skipped}.\n`]),
    ...(parts === '' ? [] : [`Left out of messages: ${parts}.\n`]),
  ].join('');
}
