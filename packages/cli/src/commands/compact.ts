import type { CompactionPreview } from '@bough/api';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import { printJson } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';

/** What says how a summary is made means nothing where one is taken back. */
const NEW = { without: ['undo'] } as const;

export const compact: Command = {
  name: 'compact',
  summary: 'Put a summary in place of the beginning of a conversation, on a new branch.',
  positionals: [{ name: 'branch' }],
  options: {
    ...PROJECT_OPTION,
    'up-to': {
      description: 'the last message that the summary stands for; without it, the newest',
      value: 'node',
      ...NEW,
    },
    instruction: { description: 'what the model is asked for, instead of the usual', value: 'words', ...NEW },
    name: { description: 'the name of the new branch', value: 'name', ...NEW },
    'dry-run': { description: 'only tell what it would do and cost', ...NEW },
    undo: { description: 'take back the newest summary of this branch; the messages are sent again' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough compact main --dry-run', 'bough compact main --up-to 1f0c2a9e'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const branch = await branchOf(client, project.id, input.required('branch'));
      if (input.flag('undo')) {
        const { summary } = await client.summary(project.id, branch.id);
        const summaries = (branch.summaries ?? []).filter((id) => id !== summary?.id);
        const changed = (await client.updateBranch(project.id, branch.id, { summaries })).branch;
        if (input.flag('json')) printJson(terminal, { summaries: changed.summaries ?? [] });
        else if (summary === null) terminal.write('Nothing on this branch is summarised.\n');
        else terminal.write(`The ${summary.coveredNodes} messages that were summarised are sent again.\n`);
        return 0;
      }
      const named = input.text('up-to');
      const upTo = named === undefined ? undefined : await nodeIdOf(client, project.id, named);
      const asked = { ref: branch.id, upTo, instruction: input.text('instruction') };
      const preview = await client.compaction(project.id, asked);
      const made = input.flag('dry-run')
        ? null
        : await client.compact(project.id, { ...asked, name: input.text('name') });
      if (input.flag('json')) printJson(terminal, { preview, branch: made?.branch ?? null });
      else terminal.write(told(preview, made?.branch.name ?? null));
      return 0;
    }),
};

function told(preview: CompactionPreview, branch: string | null): string {
  const { coveredNodes, coveredTurns, isRounded, upTo, pinned, lostReasoning, unread } = preview;
  const saved = `about ${preview.tokensBefore} tokens before, ${preview.tokensAfter} after`;
  return [
    branch === null
      ? `Nothing was changed. A summary would stand for ${coveredNodes} messages in ${coveredTurns} turns: ${saved}.`
      : `On the new branch "${branch}" a summary stands for ${coveredNodes} messages in ${coveredTurns} turns: ${saved}.`,
    ...(isRounded ? [`It ends with the turn, at ${shortId(upTo)}: a summary never splits one.`] : []),
    ...(pinned.length > 0 ? [`${pinned.length} pinned messages go along behind it, with their turns.`] : []),
    `Writing it sends ${preview.requestTokens} tokens: ${costText(preview.cost)}, or ${costText(preview.cachedCost)} from the cache.`,
    ...(preview.rewrittenTokens > 0
      ? [
          `${preview.rewrittenTokens} tokens behind it are in no cache in their new place; writing them costs ${costText(preview.rewriteCost)}.`,
        ]
      : []),
    ...(lostReasoning.length > 0
      ? [`The reasoning of ${lostReasoning.length} replies behind it does not go back any more.`]
      : []),
    ...(unread > 0 ? [`${unread} messages do not fit into the request: compact up to an earlier message first.`] : []),
    '',
  ].join('\n');
}
