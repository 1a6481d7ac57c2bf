import type { BranchView, Client, ModelNoticeView, ProjectView } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import { ATTACH_OPTION, attachedFiles, takesInput, withFiles } from '../attach/index.ts';
import { tellFates } from '../attach/fates.ts';
import { readTyped } from '../chat/lines.ts';
import { talk } from '../chat/session.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOf } from '../connect/names.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import {
  BUDGET_OPTION,
  ENVELOPE_OPTIONS,
  envelopeOf,
  limitsOf,
  overBudgetOf,
  PRESET_OPTION,
  presetOf,
} from './envelope.ts';
import { tellNotices } from './notices.ts';
import { exitCodeOf, followTurn } from './streaming.ts';

export const chat: Command = {
  name: 'chat',
  summary: 'Talk in the terminal. Begins a project unless one is named.',
  positionals: [],
  options: {
    ...PROJECT_OPTION,
    branch: { description: 'the branch (default main)', value: 'branch', short: 'b' },
    message: { description: 'send this one message and leave', value: 'text', short: 'm' },
    ...ATTACH_OPTION,
    name: { description: 'the name of a new project', value: 'text' },
    ...PRESET_OPTION,
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...ENVELOPE_OPTIONS,
    ...BUDGET_OPTION,
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough chat',
    'bough chat --project "Sky colours" --branch main',
    'bough chat -m "Why is the sky blue?" --json',
    'bough chat --preset Reviewer',
    'bough chat -a server.log -m "What went wrong here?"',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const message = input.text('message');
      if (message === undefined && takesInput(input))
        throw new UsageError('`-a -` attaches the input, so nothing can be typed: say what to do with it with -m.');
      // Before a project is made: a file that cannot be sent must not leave an empty one behind.
      const files = await attachedFiles(client, terminal, input);
      const { project, branch, notices = [] } = await placeOf(client, input);
      tellNotices(terminal, notices);
      const view = thinkingView(input.text('thinking'));
      if (message !== undefined) {
        const content = withFiles(files, message);
        const limits = { ...limitsOf(input), ...overBudgetOf(input) };
        await tellFates(client, terminal, branch, files);
        const response = await client.chat(project.id, { ref: branch.id, message: content, ...limits });
        const session = { client, projectId: project.id, signal: terminal.signal };
        return exitCodeOf(await followTurn(terminal, session, { response }, { json: input.flag('json'), view }));
      }
      const lines = readTyped(terminal.input);
      const leave = (): void => lines.close();
      terminal.signal.addEventListener('abort', leave);
      try {
        terminal.warn(
          `${project.name} (${project.id}), ${branch.provider}/${branch.model}. /help lists the commands.\n`,
        );
        const json = input.flag('json');
        const limits = { ...limitsOf(input), ...overBudgetOf(input) };
        const session = { client, terminal, lines, project, branch, view, limits, files, json, failures: 0 };
        await talk(session);
        // A script wants to know that a reply is missing; a person has seen it.
        return !terminal.isInteractive && session.failures > 0 ? 1 : 0;
      } finally {
        terminal.signal.removeEventListener('abort', leave);
        lines.close();
      }
    }),
};

async function placeOf(
  client: Client,
  input: Input,
): Promise<{
  readonly project: ProjectView;
  readonly branch: BranchView;
  readonly notices?: readonly ModelNoticeView[];
}> {
  const named = input.text('project');
  // A branch belongs to an existing project: `--branch` alone means the only one.
  if (named === undefined && input.text('branch') === undefined) {
    const name = input.text('name');
    return client.createProject({ ...(name === undefined ? {} : { name }), ...presetOf(input), ...envelopeOf(input) });
  }
  if (input.text('preset') !== undefined)
    throw new UsageError('--preset begins a new project. For a branch of this one: bough branch NAME --preset NAME.');
  if (input.text('name') !== undefined) throw new UsageError('--name is for a new project: leave --project out.');
  const project = await projectOf(client, named);
  const branch = await branchOf(client, project.id, input.text('branch') ?? 'main');
  return { project, ...(await changed(client, branch, project.id, input)) };
}

/**
 * What was asked for must count on a branch that is there, too. The server refuses what its lock does not allow, and
 * says what to do instead. Limits go with each message.
 */
async function changed(client: Client, branch: BranchView, projectId: string, input: Input) {
  const { maxTokens: _, failEarly: __, ...asked } = envelopeOf(input);
  return Object.keys(asked).length === 0 ? { branch } : client.updateBranch(projectId, branch.id, asked);
}
