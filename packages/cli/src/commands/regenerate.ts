import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import { BUDGET_OPTION, LIMIT_OPTIONS, limitsOf, overBudgetOf } from './envelope.ts';
import { tellNotices } from './notices.ts';
import { exitCodeOf, followTurn } from './streaming.ts';

export const regenerate: Command = {
  name: 'regenerate',
  summary: 'Make sibling replies to the same message.',
  positionals: [{ name: 'branch', optional: true }],
  options: {
    ...PROJECT_OPTION,
    node: { description: 'the reply to make again (default: the newest)', value: 'node' },
    count: { description: 'how many replies (default 1)', value: 'number', short: 'n' },
    provider: { description: 'answer with another provider', value: 'id' },
    model: { description: 'answer with another model', value: 'id' },
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...LIMIT_OPTIONS,
    ...BUDGET_OPTION,
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough regenerate', 'bough regenerate main -n 3 --node 1f0c2a9e'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const { id: ref } = await branchOf(client, project.id, input.positional('branch') ?? 'main');
      const node = input.text('node');
      const provider = input.text('provider');
      const model = input.text('model');
      const { turns, notices, refused } = await client.regenerate(project.id, {
        ref,
        n: input.whole('count') ?? 1,
        ...(node === undefined ? {} : { nodeId: await nodeIdOf(client, project.id, node) }),
        ...(provider === undefined ? {} : { llmProvider: provider }),
        ...(model === undefined ? {} : { llmModel: model }),
        ...limitsOf(input),
        ...overBudgetOf(input),
      });
      tellNotices(terminal, notices);
      const json = input.flag('json');
      let code: ExitCode = 0;
      for (const { turnId, branch } of turns) {
        if (!json) terminal.warn(`On ${branch}:\n`);
        const session = { client, projectId: project.id, signal: terminal.signal };
        const end = await followTurn(
          terminal,
          session,
          { turnId },
          { json, view: thinkingView(input.text('thinking')) },
        );
        if (exitCodeOf(end) !== 0) code = 1;
      }
      if (refused === undefined) return code;
      terminal.warn(`${refused.count} more could not be started: ${refused.detail}\n`);
      return 1;
    }),
};
