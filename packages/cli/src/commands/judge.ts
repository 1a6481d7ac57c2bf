import type { Client } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { nodeIdOf, PROJECT_OPTION, projectOf, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, table } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';

/** Without a reply the results of all are shown. */
const ONE = { with: ['node'] } as const;

export const judge: Command = {
  name: 'judge',
  summary: 'Say which of several replies to a message is better, or how each model fared. No model gets to know.',
  positionals: [{ name: 'node', optional: true }],
  options: {
    ...PROJECT_OPTION,
    over: {
      description: 'the reply is better than this one; may be repeated (default: all others)',
      value: 'node',
      many: true,
      ...ONE,
    },
    tie: { description: 'the replies are equally good', ...ONE },
    mark: { description: 'judge the reply by itself', value: 'verdict', choices: ['good', 'bad', 'none'], ...ONE },
    reason: { description: 'why', value: 'words', ...ONE },
    blind: { description: 'you did not see which model said what', ...ONE },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough judge', 'bough judge 1f0c2a9e --mark good --reason "shorter"', 'bough judge 1f0c2a9e --mark none'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const named = input.positional('node');
      if (named === undefined) return results(client, input, terminal);
      const project = await projectOption(client, input);
      const node = await nodeIdOf(client, project.id, named);
      const [reason, mark] = [input.text('reason'), input.text('mark')];
      const why = { ...(reason === undefined ? {} : { reason }), ...(input.flag('blind') ? { blind: true } : {}) };
      if (mark !== undefined) {
        if (input.flag('tie') || input.texts('over').length > 0)
          throw new UsageError('--mark judges one reply by itself; --over and --tie compare it with others.');
        const value = mark === 'good' || mark === 'bad' ? mark : null;
        const { annotations } = await client.annotateNode(project.id, node, { mark: value, ...why });
        if (input.flag('json')) printJson(terminal, annotations);
        else terminal.write(value === null ? 'It has no mark of its own any more.\n' : `Marked as ${value}.\n`);
        return 0;
      }
      const others = await Promise.all(input.texts('over').map((other) => nodeIdOf(client, project.id, other)));
      const compared = others.length > 0 ? others : await otherReplies(client, node);
      if (compared.length === 0)
        throw new UsageError('There is no other reply to compare it with. With --mark it is judged by itself.');
      const nodes = [node, ...compared];
      const best = input.flag('tie') ? nodes : [node];
      const { annotations } = await client.judge(project.id, { nodes, best, ...why });
      if (input.flag('json')) printJson(terminal, annotations);
      else
        terminal.write(
          `${shortId(node)} is ${input.flag('tie') ? 'as good as' : 'better than'} ${compared.length} other(s).\n`,
        );
      return 0;
    }),
};

async function otherReplies(client: Client, node: string): Promise<readonly string[]> {
  const { nodes } = await client.getSiblings(node);
  return nodes.filter(({ id, role, isError }) => id !== node && role === 'assistant' && !isError).map(({ id }) => id);
}

async function results(client: Client, input: Input, terminal: Terminal): Promise<0> {
  const named = input.text('project');
  const { models } = await client.judgedModels(named === undefined ? undefined : (await projectOf(client, named)).id);
  if (input.flag('json')) printJson(terminal, models);
  else if (models.length === 0) terminal.write('Nothing was judged yet. `bough judge <node>` does.\n');
  else
    terminal.write(
      table(
        ['model', 'won', 'lost', 'tied', 'good', 'bad', 'cost', 'seconds'],
        models.map(({ provider, model, wins, losses, ties, good, bad, cost, averageMs }) => [
          `${provider}/${model}`,
          ...[wins, losses, ties, good, bad].map(String),
          costText(cost),
          averageMs === null ? '' : (averageMs / 1000).toFixed(1),
        ]),
      ),
    );
  return 0;
}
