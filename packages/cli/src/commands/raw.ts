import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';

export const raw: Command = {
  name: 'raw',
  summary: 'Print the provider’s own bytes of a reply.',
  positionals: [{ name: 'node' }],
  options: { ...PROJECT_OPTION, ...CONNECTION_OPTIONS },
  examples: ['bough raw 1f0c2a9e', 'bough raw 1f0c2a9e | jq .payload'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      printJson(terminal, await client.raw(project.id, await nodeIdOf(client, project.id, input.required('node'))));
      return 0;
    }),
};
