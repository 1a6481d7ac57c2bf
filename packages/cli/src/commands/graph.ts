import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { PROJECT_OPTION, projectOf } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { graphText } from '../view/graph.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Draw the tree of a project.',
  positionals: [{ name: 'project', optional: true }],
  options: { ...PROJECT_OPTION, ...CONNECTION_OPTIONS },
  examples: ['bough graph', 'bough graph "Sky colours" --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOf(client, input.positional('project') ?? input.text('project'));
      const view = await client.graph(project.id);
      if (input.flag('json')) printJson(terminal, view);
      else terminal.write(graphText(view));
      return 0;
    }),
};
