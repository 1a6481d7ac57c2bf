import type { MergePreview } from '@bough/api';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import { printJson } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';
import { overBudgetOf } from './envelope.ts';

export const merge: Command = {
  name: 'merge',
  summary: 'Bring what is new on a branch to another one, as one message.',
  positionals: [{ name: 'from' }, { name: 'into' }],
  options: {
    ...PROJECT_OPTION,
    summary: {
      description: 'bring a summary that the model writes, instead of the last answer',
      without: ['messages'],
    },
    messages: { description: 'bring these messages instead, separated by commas', value: 'nodes' },
    instruction: {
      description: 'what the model is asked for, instead of the usual',
      value: 'words',
      with: ['summary'],
    },
    'dry-run': { description: 'only tell what it would bring and cost' },
    'over-budget': { description: 'have it written even if a budget is used up', with: ['summary'] },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough merge idea main --dry-run', 'bough merge idea main --summary'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const from = await branchOf(client, project.id, input.required('from'));
      const into = await branchOf(client, project.id, input.required('into'));
      const named = (input.text('messages') ?? '').split(',').filter((id) => id.trim() !== '');
      if (input.text('messages') !== undefined && named.length === 0)
        throw new UsageError('--messages names at least one message. `--dry-run --json` lists what may be brought.');
      const preview = await client.mergePreview(project.id, { from: from.id, into: into.id });
      const nodeIds: string[] = [];
      for (const start of named) nodeIds.push(await nodeIdOf(client, project.id, start.trim()));
      const by = nodeIds.length > 0 ? 'messages' : input.flag('summary') ? 'summary' : 'answer';
      const made = input.flag('dry-run')
        ? null
        : await client.merge(project.id, {
            from: from.id,
            into: into.id,
            by,
            ...(by === 'messages' && { nodeIds }),
            ...(by === 'summary' && { instruction: input.text('instruction') }),
            ...overBudgetOf(input),
          });
      if (input.flag('json')) printJson(terminal, { preview, node: made?.node ?? null });
      else terminal.write(told(preview, made?.node.id ?? null));
      return 0;
    }),
};

function told({ source, target, messages, answer, summary }: MergePreview, node: string | null): string {
  const range = `${messages.length} messages are new on "${source.name}"`;
  if (node !== null) return `Brought to "${target.name}" as ${shortId(node)}: ${range}.\n`;
  const sum = messages.reduce((tokens, message) => tokens + message.tokens, 0);
  return [
    `Nothing was changed. ${range}: about ${sum} tokens for "${target.name}".`,
    answer === null ? 'None of them is an answer.' : `The last answer alone: about ${answer.tokens} tokens.`,
    `A summary: about ${summary.tokens} tokens; writing it with ${summary.model} sends ${summary.requestTokens}: ${costText(summary.cost)}.`,
    '',
  ].join('\n');
}
