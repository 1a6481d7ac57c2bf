import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { graphText } from '../view/graph.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Draw the tree of a project.',
  positionals: [],
  options: { ...PROJECT_OPTION, ...CONNECTION_OPTIONS },
  examples: ['bough graph', 'bough graph --project "Sky colours" --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, async ({ client }) => {
      const view = await client.graph((await projectOption(client, input)).id);
      if (input.flag('json')) printJson(terminal, view);
      else terminal.write(graphText(view));
      return 0;
    }),
};
