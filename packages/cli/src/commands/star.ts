import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';

export const star: Command = {
  name: 'star',
  summary: 'Give a message a star, or a bookmark with a name. No model gets to know.',
  positionals: [{ name: 'node' }],
  options: {
    ...PROJECT_OPTION,
    bookmark: { description: 'a bookmark with this name instead of a star', value: 'name' },
    remove: { description: 'take the star, or the bookmark, away' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough star 1f0c2a9e', 'bough star 1f0c2a9e --bookmark "The good one"', 'bough star 1f0c2a9e --remove'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const node = await nodeIdOf(client, project.id, input.required('node'));
      const [bookmark, remove] = [input.text('bookmark'), input.flag('remove')];
      if (bookmark?.trim() === '') throw new UsageError('A bookmark has a name.');
      const change =
        bookmark === undefined ? { star: !remove } : remove ? { removeBookmark: bookmark } : { addBookmark: bookmark };
      const { annotations } = await client.annotateNode(project.id, node, change);
      if (input.flag('json')) printJson(terminal, annotations);
      else {
        const what = bookmark === undefined ? 'star' : `bookmark "${bookmark}"`;
        terminal.write(`${shortId(node)} has ${remove ? 'no' : 'a'} ${what} ${remove ? 'any more' : 'now'}.\n`);
      }
      return 0;
    }),
};
