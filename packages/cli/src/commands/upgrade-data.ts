import type { UpgradeReport } from '@bough/store';
import type { Command } from '../command.ts';
import { STORE_OPTIONS } from '../connect/index.ts';
import { oneOf } from '../connect/names.ts';
import { withStore } from '../connect/store.ts';
import { printJson } from '../terminal/index.ts';

export const upgradeData: Command = {
  name: 'upgrade-data',
  summary: 'Bring data of older programs into today’s form: Loom’s old messages, nodes without turns.',
  positionals: [{ name: 'project', optional: true }],
  options: { ...STORE_OPTIONS, 'dry-run': { description: 'only say what would be changed' } },
  examples: ['bough upgrade-data --dry-run', 'bough upgrade-data "Sky colours" --store files'],
  run: (input, terminal) =>
    withStore(input, terminal, async (store) => {
      const dryRun = input.flag('dry-run');
      const named = input.positional('project');
      const listed = await store.listProjects();
      const projects = named === undefined ? listed : [oneOf('project', named, listed, ({ name }) => name)];
      const reports: (UpgradeReport & { readonly projectId: string })[] = [];
      for (const { id, name } of projects) {
        const report = await store.upgradeProject(id, { dryRun });
        reports.push({ projectId: id, ...report });
        if (!input.flag('json') && !isEmpty(report)) terminal.write(`${name} (${id}): ${sentence(report, dryRun)}\n`);
      }
      if (input.flag('json')) printJson(terminal, { dryRun, projects: reports });
      else if (reports.every(isEmpty)) terminal.write('Everything is in today’s form; nothing was changed.\n');
      return 0;
    }),
};

const isEmpty = ({ messages, nodes }: UpgradeReport): boolean => messages.length + nodes === 0;

function sentence({ messages, turns, nodes }: UpgradeReport, dryRun: boolean): string {
  const parts = [
    ...(messages.length === 0 ? [] : [`${messages.length} old message(s) ${dryRun ? 'to rewrite' : 'rewritten'}`]),
    ...(nodes === 0 ? [] : [`${turns} turn(s) ${dryRun ? 'to make' : 'made'} for ${nodes} message(s) without one`]),
  ];
  return `${parts.join(', ')}.`;
}
