import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, projectOf } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';

export const rename: Command = {
  name: 'rename',
  summary: 'Give a project or a branch another name.',
  positionals: [{ name: 'project' }, { name: 'name', rest: true }],
  options: {
    branch: { description: 'rename this branch of the project instead', value: 'branch', short: 'b' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough rename "Sky colours" "Colours of the sky"', 'bough rename "Sky colours" blue --branch main'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOf(client, input.required('project'));
      const name = input.rest.join(' ');
      const named = input.text('branch');
      if (named === undefined) {
        const { project: renamed } = await client.updateProject(project.id, { name });
        if (input.flag('json')) printJson(terminal, renamed);
        else terminal.write(`${project.name} is now ${renamed.name}.\n`);
        return 0;
      }
      const before = await branchOf(client, project.id, named);
      const { branch } = await client.updateBranch(project.id, before.id, { name });
      if (input.flag('json')) printJson(terminal, branch);
      else terminal.write(`${before.name} is now ${branch.name}.\n`);
      return 0;
    }),
};
