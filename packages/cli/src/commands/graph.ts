import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { wholeGraph } from '../connect/graph.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOf } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { graphText } from '../view/graph.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Draw the tree of a project.',
  positionals: [{ name: 'project', optional: true }],
  options: {
    ...PROJECT_OPTION,
    branch: { description: 'of a large project: show the way to the end of this branch', value: 'branch', short: 'b' },
    open: { description: 'of a large project: show what comes after this node', value: 'node', many: true },
    all: { description: 'every node, however many there are', short: 'a' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough graph', 'bough graph "Sky colours" --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOf(client, input.positional('project') ?? input.text('project'));
      const named = input.text('branch');
      const branch = named === undefined ? {} : { ref: (await branchOf(client, project.id, named)).id };
      const open: string[] = [];
      for (const node of input.texts('open')) open.push(await nodeIdOf(client, project.id, node));
      const opened = open.length === 0 ? {} : { open: open.join(',') };
      const view = input.flag('all')
        ? await wholeGraph(client, project.id)
        : await client.graph(project.id, { ...branch, ...opened });
      if (view.nodes.length < view.total)
        terminal.warn(`An outline of ${view.total} nodes: --open NODE shows more of it, --all everything.\n`);
      if (input.flag('json')) printJson(terminal, view);
      else terminal.write(graphText(view));
      return 0;
    }),
};
