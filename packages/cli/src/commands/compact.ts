import type { BranchView, Client, CompactionPreview } from '@bough/api';
import { COMPACTING_MODES, DEFAULT_COMPACTING } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';
import { overBudgetOf } from './envelope.ts';

/** What says how a summary is made means nothing where none is. */
const NEW = { without: ['undo', 'when-full'] } as const;

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
    'over-budget': { description: 'make it even if a budget is used up', ...NEW },
    undo: { description: 'take back the newest summary of this branch; the messages are sent again' },
    'when-full': {
      description:
        'make none now; say what happens as the window fills up: leave out the oldest (off), suggest a summary (ask), make one (on)',
      value: 'mode',
      choices: COMPACTING_MODES,
      without: ['undo'],
    },
    share: {
      description: 'how full the window is by then, in percent (default: 80)',
      value: 'number',
      with: ['when-full'],
    },
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough compact main --dry-run',
    'bough compact main --up-to 1f0c2a9e',
    'bough compact main --when-full on --share 60',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const branch = await branchOf(client, project.id, input.required('branch'));
      const place = { client, project: project.id, branch, input, terminal };
      if (input.flag('undo')) await takeBack(place);
      else if (input.text('when-full') !== undefined) await setWhenFull(place);
      else await summarise(place);
      return 0;
    }),
};

interface Place {
  readonly client: Client;
  readonly project: string;
  readonly branch: BranchView;
  readonly input: Input;
  readonly terminal: Terminal;
}

async function takeBack({ client, project, branch, input, terminal }: Place): Promise<void> {
  const { summary } = await client.summary(project, branch.id);
  const summaries = (branch.summaries ?? []).filter((id) => id !== summary?.id);
  const changed = (await client.updateBranch(project, branch.id, { summaries })).branch;
  if (input.flag('json')) return printJson(terminal, { summaries: changed.summaries ?? [] });
  if (summary === null) return terminal.write('Nothing on this branch is summarised.\n');
  const { summary: before } = await client.summary(project, branch.id);
  terminal.write(
    before === null
      ? `The ${summary.coveredNodes} messages that were summarised are sent again.\n`
      : `The newest summary was taken back. The one before it stands for ${before.coveredNodes} messages again.\n`,
  );
}

const WHEN_FULL = {
  off: 'the oldest messages are left out where they do not fit',
  ask: 'a summary is suggested',
  on: 'the beginning is summarised before the next reply',
} as const;

async function setWhenFull({ client, project, branch, input, terminal }: Place): Promise<void> {
  const mode = COMPACTING_MODES.find((known) => known === input.text('when-full')) ?? DEFAULT_COMPACTING.mode;
  const percent = input.whole('share') ?? DEFAULT_COMPACTING.share * 100;
  if (percent < 5 || percent > 100) throw new UsageError(`--share takes a number from 5 to 100, not ${percent}.`);
  const compacting = { mode, share: percent / 100 };
  await client.updateBranch(project, branch.id, { compacting });
  const from = mode === 'off' ? '' : `From ${percent} % of the window on, `;
  const sentence = `${from}${WHEN_FULL[mode]}`;
  if (input.flag('json')) printJson(terminal, { compacting });
  else terminal.write(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.\n`);
}

async function summarise({ client, project, branch, input, terminal }: Place): Promise<void> {
  const named = input.text('up-to');
  const upTo = named === undefined ? undefined : await nodeIdOf(client, project, named);
  const asked = { ref: branch.id, upTo, instruction: input.text('instruction') };
  const preview = await client.compaction(project, asked);
  const made = input.flag('dry-run')
    ? null
    : await client.compact(project, { ...asked, name: input.text('name'), ...overBudgetOf(input) });
  if (input.flag('json')) printJson(terminal, { preview, branch: made?.branch ?? null });
  else terminal.write(told(preview, made?.branch.name ?? null));
}

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
