import type { ReplayBy } from '@bough/core';
import { REPLAY_BY } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson } from '../terminal/index.ts';
import { ENVELOPE_OPTIONS, envelopeOf, PRESET_OPTION, presetOf } from './envelope.ts';
import { tellNotices } from './notices.ts';

export const branch: Command = {
  name: 'branch',
  summary: 'Create a branch from another one or from any node.',
  positionals: [{ name: 'name' }],
  options: {
    ...PROJECT_OPTION,
    from: { description: 'the branch to fork from (default main)', value: 'branch' },
    at: { description: 'the node to fork at (default: the tip)', value: 'node' },
    delete: { description: 'remove the branch instead; its nodes stay (`bough trash` restores it)' },
    ...PRESET_OPTION,
    ...ENVELOPE_OPTIONS,
    'replay-by': {
      description:
        'break: everything before a model break is sent as text; issuer: what the model takes is sent as made',
      value: 'issuer|break',
    },
    'from-beginning': { description: 'with --system: in place of the old system prompt, instead of from here on' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough branch "second thoughts" --from main', 'bough branch gemini --provider gemini --at 1f0c2a9e'],
  run: (input, terminal) =>
    withConnection(input, terminal, needsTools(input) ? 'tools' : 'no tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const name = input.required('name');
      if (input.flag('delete')) {
        const { id } = await branchOf(client, project.id, name);
        await client.deleteBranch(project.id, id);
        if (input.flag('json')) printJson(terminal, { deleted: id });
        else terminal.write(`Removed ${name}; its nodes stay.\n`);
        return 0;
      }
      const replayBy = replayByOf(input);
      const at = input.text('at');
      const from = input.text('from') ?? (at === undefined ? 'main' : undefined);
      const created = await client.createBranch(project.id, {
        name,
        ...(from === undefined ? {} : { fromRef: (await branchOf(client, project.id, from)).id }),
        ...(at === undefined ? {} : { fromNodeId: await nodeIdOf(client, project.id, at) }),
        ...presetOf(input),
        ...envelopeOf(input),
        ...(input.flag('from-beginning') ? { instructionsFrom: 'beginning' as const } : {}),
      });
      tellNotices(terminal, created.notices);
      const made =
        replayBy === undefined
          ? created.branch
          : (await client.updateBranch(project.id, created.branch.id, { replayBy })).branch;
      if (input.flag('json')) printJson(terminal, made);
      else terminal.write(`Created ${made.name}, locked to ${made.provider}/${made.model}.\n`);
      return 0;
    }),
};

/** A preset may name tools of its own. */
const needsTools = (input: Input): boolean => input.text('tools') !== undefined || input.text('preset') !== undefined;

/** Checked before anything is made: a typo must not leave a branch behind. */
function replayByOf(input: Input): ReplayBy | undefined {
  const asked = input.text('replay-by');
  if (asked === undefined) return undefined;
  const known = REPLAY_BY.find((each) => each === asked);
  if (known === undefined) throw new UsageError(`--replay-by takes ${REPLAY_BY.join(' or ')}, not "${asked}".`);
  return known;
}
