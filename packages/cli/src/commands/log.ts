import { excerpt } from '@bough/core';
import { fileLabel, filesOf } from '../attach/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson, table } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';
import { versionsIn } from '../view/versions.ts';

export const log: Command = {
  name: 'log',
  summary: 'List the nodes of a branch, newest first.',
  positionals: [{ name: 'branch', optional: true }],
  options: {
    ...PROJECT_OPTION,
    limit: { description: 'how many nodes (default 30)', value: 'number', short: 'n' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough log', 'bough log main -n 5 --project "Sky colours"'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const { tipId } = await branchOf(client, project.id, input.positional('branch') ?? 'main');
      const path = tipId === null ? [] : (await client.getPath(tipId)).nodes;
      const nodes = path.slice(-(input.whole('limit') ?? 30)).reverse();
      if (input.flag('json')) printJson(terminal, nodes);
      else
        terminal.write(
          table(
            ['node', 'role', 'model', 'text'],
            nodes.map(({ id, role, modelUsed, content, contentBlocks }) => [
              shortId(id),
              role,
              modelUsed ?? '',
              [...versionsIn(contentBlocks), ...filesOf({ contentBlocks }).map(fileLabel), excerpt(content, 60)]
                .join(' ')
                .trim(),
            ]),
          ),
        );
      return 0;
    }),
};
