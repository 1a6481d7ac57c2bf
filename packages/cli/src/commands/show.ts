import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { conversationText } from '../view/conversation.ts';
import { wholeHistory } from '../view/history.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';

export const show: Command = {
  name: 'show',
  summary: 'Show the conversation of a branch.',
  positionals: [{ name: 'branch', optional: true }],
  options: {
    ...PROJECT_OPTION,
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough show', 'bough show main --project "Sky colours" --thinking full'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const branch = await branchOf(client, project.id, input.positional('branch') ?? 'main');
      const history = await wholeHistory(client, project.id, branch.id);
      if (input.flag('json')) printJson(terminal, { project, ...history });
      else terminal.write(conversationText(history.groups, thinkingView(input.text('thinking')), terminal));
      return 0;
    }),
};
