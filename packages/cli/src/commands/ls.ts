import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { projectOf } from '../connect/names.ts';
import { printJson, table } from '../terminal/index.ts';

export const ls: Command = {
  name: 'ls',
  summary: 'List projects, or the branches of one.',
  positionals: [{ name: 'project', optional: true }],
  options: { ...CONNECTION_OPTIONS, all: { description: 'hidden branches and archived projects too', short: 'a' } },
  examples: ['bough ls', 'bough ls "Sky colours"', 'bough ls --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const named = input.positional('project');
      const all = input.flag('all');
      if (named === undefined) {
        const projects = (await client.listProjects()).projects.filter(({ archived }) => all || !archived);
        if (input.flag('json')) printJson(terminal, projects);
        else
          terminal.write(
            table(
              ['id', 'name', 'created'],
              projects.map(({ id, name, createdAt }) => [id, name, createdAt.slice(0, 10)]),
            ),
          );
        return 0;
      }
      const project = await projectOf(client, named);
      const branches = (await client.listBranches(project.id)).branches.filter(({ hidden }) => all || !hidden);
      if (input.flag('json')) printJson(terminal, branches);
      else
        terminal.write(
          table(
            ['branch', 'model', 'tip', 'notes'],
            branches.map(({ name, provider, model, tipId, pinned, hidden, runningTurnId }) => [
              name,
              `${provider}/${model}`,
              tipId?.slice(0, 8) ?? '(empty)',
              [pinned ? 'pinned' : '', hidden ? 'hidden' : '', runningTurnId === null ? '' : 'running']
                .filter((note) => note !== '')
                .join(', '),
            ]),
          ),
        );
      return 0;
    }),
};
