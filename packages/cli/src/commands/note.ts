import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';

export const note: Command = {
  name: 'note',
  summary: 'Write a private note beside a message, or read it. No model gets it.',
  positionals: [{ name: 'node' }],
  options: {
    ...PROJECT_OPTION,
    text: { description: 'the note, in place of the one that is there', value: 'words', short: 't' },
    remove: { description: 'take the note away' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough note 1f0c2a9e --text "Ask this again"', 'bough note 1f0c2a9e', 'bough note 1f0c2a9e --remove'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const node = await nodeIdOf(client, project.id, input.required('node'));
      const [text, remove] = [input.text('text'), input.flag('remove')];
      if (text !== undefined && remove) throw new UsageError('Give --text or --remove, not both.');
      if (text?.trim() === '') throw new UsageError('A note has words; --remove takes one away.');
      const isChange = text !== undefined || remove;
      const { annotations } = isChange
        ? await client.annotateNode(project.id, node, { note: text ?? null })
        : await client.projectAnnotations(project.id);
      const found = annotations.find(({ kind, nodeId }) => kind === 'note' && nodeId === node) ?? null;
      if (input.flag('json')) printJson(terminal, found);
      else terminal.write(found === null ? `${shortId(node)} has no note.\n` : `${found.text}\n`);
      return 0;
    }),
};
