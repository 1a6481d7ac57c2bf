import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { STORE_OPTIONS } from '../connect/index.ts';
import { oneOf } from '../connect/names.ts';
import { opened, withStore } from '../connect/store.ts';
import { readConfig } from '@bough/server';
import type { MoveReport, ShelfReport } from '@bough/store';
import { moveProject, moveShelf } from '@bough/store';
import { resolve } from 'node:path';
import { countsText } from '../view/import-report.ts';
import { printJson, startProgress } from '../terminal/index.ts';

export const move: Command = {
  name: 'move',
  summary: 'Copy projects from one store to another and prove the copy.',
  positionals: [{ name: 'project', optional: true }],
  options: {
    ...STORE_OPTIONS,
    all: { description: 'every project' },
    to: { description: 'the other store', value: 'store', choices: ['postgres', 'git', 'files'] },
    'to-data': { description: 'its data directory (default: the same)', value: 'directory' },
    'delete-source': { description: 'remove the project from where it was, once the copy is proved' },
  },
  examples: ['bough move "Sky colours" --to git', 'bough move --all --store files --to postgres --delete-source'],
  run: (input, terminal) =>
    withStore(input, terminal, async (from, settings) => {
      const kind = input.text('to');
      if (kind === undefined) throw new UsageError('Say where to with --to postgres, git or files.');
      const named = input.positional('project');
      if ((named === undefined) !== input.flag('all')) throw new UsageError('Name one project, or use --all.');
      const env = {
        ...settings.env,
        BOUGH_STORE: kind,
        BOUGH_DATA_DIR: resolve(terminal.cwd, input.text('to-data') ?? settings.config.dataDir),
      };
      const target = readConfig(env, terminal.cwd);
      if (target.store === settings.config.store && target.dataDir === settings.config.dataDir) {
        throw new UsageError('That is the same store. Name another one with --to or --to-data.');
      }
      const listed = await from.listProjects();
      const projects = named === undefined ? listed : [oneOf('project', named, listed, ({ name }) => name)];
      const to = await opened({ config: target, env });
      const progress = startProgress(terminal, 'Moving', projects.length);
      const reports: MoveReport[] = [];
      let shelf: ShelfReport | null = null;
      try {
        // Presets and prompts belong to no project: they go with all of them.
        if (input.flag('all')) shelf = await moveShelf(from, to);
        for (const { id, name } of projects) {
          reports.push(await moveProject(from, to, id, { deleteSource: input.flag('delete-source') }));
          progress.update(reports.length, name);
        }
      } finally {
        progress.end();
        await to.close();
      }
      if (input.flag('json')) printJson(terminal, reports);
      else {
        for (const { projectId, counts, sourceDeleted, beside } of reports) {
          terminal.write(
            `${projectId}: ${counts.node} node(s), ${counts.call} call(s) proved equal${sourceDeleted ? '; the source is gone' : ''}.\n`,
          );
          const kept = countsText(beside);
          if (kept !== '')
            terminal.write(
              `  Bough has no place for these and keeps them beside the project, for the way back: ${kept}.\n`,
            );
        }
        for (const name of shelf?.copied ?? []) terminal.write(`${name}: copied.\n`);
        for (const name of shelf?.kept ?? []) terminal.write(`${name}: the other store has its own; they stay.\n`);
      }
      return 0;
    }),
};
