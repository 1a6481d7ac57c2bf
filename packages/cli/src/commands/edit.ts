import { ATTACH_OPTION, attachedFiles, filesOf, withFiles } from '../attach/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import { BUDGET_OPTION, LIMIT_OPTIONS, limitsOf, overBudgetOf } from './envelope.ts';
import { exitCodeOf, followTurn } from './streaming.ts';

export const edit: Command = {
  name: 'edit',
  summary: 'Ask again with another wording: a new branch from the message’s parent.',
  positionals: [{ name: 'node' }, { name: 'text', rest: true }],
  options: {
    ...PROJECT_OPTION,
    branch: { description: 'the name of the new branch', value: 'name' },
    ...ATTACH_OPTION,
    'drop-files': { description: 'leave out the files of the message, which stay otherwise' },
    provider: { description: 'answer with another provider', value: 'id' },
    model: { description: 'answer with another model', value: 'id' },
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...LIMIT_OPTIONS,
    ...BUDGET_OPTION,
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough edit 1f0c2a9e "Why is the sunset red?" --branch sunset'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const provider = input.text('provider');
      const model = input.text('model');
      const branchName = input.text('branch');
      const nodeId = await nodeIdOf(client, project.id, input.required('node'));
      const kept = input.flag('drop-files') ? [] : filesOf((await client.getNode(nodeId)).node);
      const files = [...kept.map((block) => ({ ...block })), ...(await attachedFiles(client, terminal, input))];
      const response = await client.edit(project.id, {
        nodeId,
        content: withFiles(files, input.rest.join(' ')),
        ...(branchName === undefined ? {} : { branchName }),
        ...(provider === undefined ? {} : { llmProvider: provider }),
        ...(model === undefined ? {} : { llmModel: model }),
        ...limitsOf(input),
        ...overBudgetOf(input),
      });
      const session = { client, projectId: project.id, signal: terminal.signal };
      const view = { json: input.flag('json'), view: thinkingView(input.text('thinking')) };
      return exitCodeOf(await followTurn(terminal, session, { response }, view));
    }),
};
