import type { BranchView, ChatInput, Client, ProjectView } from '@bough/api';
import { ApiError, turnLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { BoughError } from '@bough/core';
import { branchOf } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { colours, table } from '../terminal/index.ts';
import type { ThinkingView } from '../view/turn.ts';
import { showTurn, THINKING_VIEWS } from '../view/turn.ts';
import type { Lines } from './lines.ts';

export interface ChatSession {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly lines: Lines;
  readonly project: ProjectView;
  branch: BranchView;
  view: ThinkingView;
  /** What every message of this session asks for. */
  readonly limits: Pick<ChatInput, 'maxTokens' | 'failEarly'>;
  running: string | null;
}

const HELP = `/branch NAME     fork here and go on there
/switch NAME     go on on another branch
/branches        list them
/stop            stop the reply; what came is kept
/continue        go on with an interrupted reply
/thinking VIEW   ${THINKING_VIEWS.join(', ')}
/quit            leave
`;

/** Runs until the input ends or the person leaves. */
export async function talk(session: ChatSession): Promise<void> {
  const { terminal, lines } = session;
  const { dim } = colours(terminal);
  for (;;) {
    if (terminal.isInteractive) terminal.write(dim(`${session.branch.name}> `));
    const line = await lines.next();
    if (line === null || line.trim() === '/quit') return;
    if (line.trim() === '') continue;
    try {
      if (isCommand(line)) await command(session, line.trim());
      else await say(session, line);
    } catch (error) {
      // A refusal by the server is reported, and the conversation continues.
      if (!(error instanceof ApiError || error instanceof BoughError)) throw error;
      terminal.write(`${error.message}\n`);
    }
  }
}

async function say(session: ChatSession, message: string): Promise<void> {
  const { client, project, branch } = session;
  await follow(session, await client.chat(project.id, { ref: branch.id, message, ...session.limits }));
}

/** `/sim …` is meant for the simulated provider and must reach it. */
function isCommand(line: string): boolean {
  return line.startsWith('/') && !line.startsWith('/sim');
}

async function command(session: ChatSession, line: string): Promise<void> {
  const { client, project, terminal } = session;
  const [word = '', ...rest] = line.split(/\s+/);
  const name = rest.join(' ');
  switch (word) {
    case '/branch': {
      const wanted = name === '' ? {} : { name };
      session.branch = (await client.createBranch(project.id, { fromRef: session.branch.id, ...wanted })).branch;
      terminal.write(`Now on ${session.branch.name}.\n`);
      return;
    }
    case '/switch':
      session.branch = await branchOf(client, project.id, name);
      terminal.write(`Now on ${session.branch.name}.\n`);
      return;
    case '/branches': {
      const { branches } = await client.listBranches(project.id);
      const rows = branches.map(({ id, name: title, provider, model }) => [
        id === session.branch.id ? '*' : '',
        title,
        `${provider}/${model}`,
      ]);
      terminal.write(table(['', 'branch', 'model'], rows));
      return;
    }
    case '/thinking': {
      const view = THINKING_VIEWS.find((known) => known === name);
      if (view === undefined) terminal.write(`Use ${THINKING_VIEWS.join(', ')}.\n`);
      else session.view = view;
      return;
    }
    case '/continue':
      await follow(session, await client.continueTurn(project.id, { ref: session.branch.id }));
      return;
    case '/stop':
      terminal.write('Nothing is running.\n');
      return;
    default:
      terminal.write(HELP);
  }
}

async function follow(session: ChatSession, response: Response): Promise<void> {
  const { client, project, terminal, lines } = session;
  const stop = (): void => {
    if (session.running === null) return;
    client.interrupt(project.id, { turnId: session.running }).catch((error: unknown) => {
      // A turn that ended in the meantime needs no stopping.
      terminal.warn(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  };
  lines.watch((line) => {
    if (line.trim() !== '/stop') return false;
    stop();
    return true;
  });
  terminal.signal.addEventListener('abort', stop);
  try {
    const stream = withApprovals(session, turnLines({ client, projectId: project.id }, { response }));
    await showTurn(terminal, stream, session.view, (turnId) => {
      session.running = turnId;
    });
  } finally {
    terminal.signal.removeEventListener('abort', stop);
    lines.watch(null);
    session.running = null;
  }
}

async function* withApprovals(
  session: ChatSession,
  lines: AsyncIterable<StreamLine>,
): AsyncGenerator<StreamLine, void> {
  for await (const line of lines) {
    yield line;
    if (line.type === 'approval' && line.state === 'asked') await decide(session, line.toolCallId);
  }
}

async function decide(session: ChatSession, toolCallId: string): Promise<void> {
  const { client, project, terminal, lines, running } = session;
  if (running === null) return;
  terminal.write('Run it? [y/N] ');
  const answer = (await lines.next())?.trim().toLowerCase() ?? '';
  const approve = answer === 'y' || answer === 'yes';
  await patiently(() => client.approve(project.id, { turnId: running, toolCallId, approve }));
}

/** The question arrives before the turn is actually paused: for a moment the server says that it is not waiting yet. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_awaiting_approval' || attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
