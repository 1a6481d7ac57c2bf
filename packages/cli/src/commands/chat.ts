import type { BranchView, Client, ModelNoticeView, ProjectView } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { readTyped } from '../chat/lines.ts';
import { talk } from '../chat/session.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOf } from '../connect/names.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import { ENVELOPE_OPTIONS, envelopeOf, limitsOf } from './envelope.ts';
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
    name: { description: 'the name of a new project', value: 'text' },
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...ENVELOPE_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough chat',
    'bough chat --project "Sky colours" --branch main',
    'bough chat -m "Why is the sky blue?" --json',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const { project, branch, notices = [] } = await placeOf(client, input);
      tellNotices(terminal, notices);
      const view = thinkingView(input.text('thinking'));
      const message = input.text('message');
      if (message !== undefined) {
        const response = await client.chat(project.id, { ref: branch.id, message, ...limitsOf(input) });
        const session = { client, projectId: project.id, signal: terminal.signal };
        return exitCodeOf(await followTurn(terminal, session, { response }, { json: input.flag('json'), view }));
      }
      const lines = readTyped(terminal.input);
      const leave = (): void => lines.close();
      terminal.signal.addEventListener('abort', leave);
      try {
        terminal.write(
          `${project.name} (${project.id}), ${branch.provider}/${branch.model}. /help lists the commands.\n`,
        );
        await talk({ client, terminal, lines, project, branch, view, limits: limitsOf(input), running: null });
      } finally {
        terminal.signal.removeEventListener('abort', leave);
        lines.close();
      }
      return 0;
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
    return client.createProject({ ...(name === undefined ? {} : { name }), ...envelopeOf(input) });
  }
  const project = await projectOf(client, named);
  return { project, branch: await branchOf(client, project.id, input.text('branch') ?? 'main') };
}
