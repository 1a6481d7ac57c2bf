import type { Client, ContextReport, ContextReportInput } from '@bough/api';
import { ApiError } from '@bough/api';
import type { Choice } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import { printJson } from '../terminal/index.ts';

const NODES = { value: 'node', many: true } as const;
/** What each option decides about the messages that it names. */
const OPTIONS: readonly (readonly [string, Choice | null])[] = [
  ['leave-out', 'leave_out'],
  ['pin', 'pin'],
  ['undo', null],
];

export const choose: Command = {
  name: 'choose',
  summary: 'Leave messages out of the requests of a branch, or pin them into them.',
  positionals: [{ name: 'branch' }],
  options: {
    ...PROJECT_OPTION,
    'leave-out': { description: 'do not send this message; a result alone leaves its call; may be repeated', ...NODES },
    pin: { description: 'always send this message, however long the conversation is; may be repeated', ...NODES },
    undo: { description: 'neither any more; may be repeated', ...NODES },
    'dry-run': { description: 'only tell what it would spare and cost' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough choose main --leave-out 1f0c2a9e --dry-run', 'bough choose main --pin 1f0c2a9e'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const asked = askedFor(input);
      const project = await projectOption(client, input);
      const { id: ref } = await branchOf(client, project.id, input.required('branch'));
      const ids = await Promise.all(asked.map(([named]) => nodeIdOf(client, project.id, named)));
      const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
      if (twice >= 0) throw new UsageError(`"${asked[twice]?.[0]}" is named twice. Decide one thing about a message.`);
      const choices = Object.fromEntries(asked.map(([, choice], index) => [ids[index] ?? '', choice]));
      const { effect, problem } = await effectOf(client, project.id, { ref, choices });
      const branch = input.flag('dry-run') ? null : (await client.updateBranch(project.id, ref, { choices })).branch;
      if (input.flag('json')) printJson(terminal, { effect, choices: branch?.choices ?? null });
      else terminal.write(`${branch === null ? 'Nothing was changed' : 'Done'}: ${problem ?? effectText(effect)}`);
      return 0;
    }),
};

function askedFor(input: Input): readonly (readonly [string, Choice | null])[] {
  const asked = OPTIONS.flatMap(([option, choice]) => input.texts(option).map((named) => [named, choice] as const));
  if (asked.length === 0) throw new UsageError('Name a message with --leave-out, --pin or --undo.');
  return asked;
}

/** What the choices change; where the request would not fit with them, why. More may follow that make it fit. */
async function effectOf(
  client: Client,
  project: string,
  input: ContextReportInput,
): Promise<{ readonly effect: ContextReport['effect']; readonly problem: string | null }> {
  try {
    return { effect: (await client.contextReport(project, input)).effect, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'context_too_long') throw error;
    return { effect: undefined, problem: `with this the next request does not fit. ${error.message}\n` };
  }
}

function effectText(effect: ContextReport['effect']): string {
  if (effect === undefined) return 'with this the next request fits into the window again.\n';
  const { savedTokens, rewrittenTokens, rewriteCost, lostReasoning } = effect;
  return [
    `about ${Math.abs(savedTokens)} tokens ${savedTokens < 0 ? 'more' : 'fewer'} in the next request.`,
    ...(rewrittenTokens === 0
      ? []
      : [`${rewrittenTokens} tokens are in no cache then; writing them again costs ${costText(rewriteCost)}.`]),
    ...(lostReasoning.length === 0
      ? []
      : [`The reasoning of ${lostReasoning.length} replies behind it does not go back any more.`]),
    '',
  ].join('\n');
}
