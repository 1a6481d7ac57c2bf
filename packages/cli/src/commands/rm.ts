import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, projectOf } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';

export const rm: Command = {
  name: 'rm',
  summary: 'Delete a project, a branch or a message. It lies in the trash for thirty days.',
  positionals: [{ name: 'project' }],
  options: {
    branch: { description: 'delete only this branch; its messages stay', value: 'branch', short: 'b' },
    node: { description: 'delete only this message, with everything below it', value: 'node' },
    'keep-below': { description: 'with --node: keep what is below the message' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough rm "Sky colours"', 'bough rm "Sky colours" --branch main'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const [branchName, nodeName] = [input.text('branch'), input.text('node')];
      const keeps = input.flag('keep-below');
      if (branchName !== undefined && nodeName !== undefined)
        throw new UsageError('Choose one of --branch and --node.');
      if (keeps && nodeName === undefined) throw new UsageError('--keep-below belongs to --node.');
      const project = await projectOf(client, input.required('project'));
      const told = (what: string, trashId: string): 0 => {
        if (input.flag('json')) printJson(terminal, { trashId });
        else terminal.write(`Deleted ${what}. \`bough trash --restore ${trashId}\` brings it back.\n`);
        return 0;
      };
      if (branchName !== undefined) {
        const branch = await branchOf(client, project.id, branchName);
        return told(`branch ${branch.name}`, (await client.deleteBranch(project.id, branch.id)).trashId);
      }
      if (nodeName !== undefined) {
        const node = await nodeIdOf(client, project.id, nodeName);
        const { removed, trashId } = await client.deleteNode(project.id, node, keeps ? 'reparent' : 'cascade');
        return told(`${removed.length} message(s)`, trashId);
      }
      return told(`project ${project.name}`, (await client.deleteProject(project.id)).trashId);
    }),
};
