import type { BranchView, ChatInput, Client, MessageContentInput, ProjectView } from '@bough/api';
import { ApiError } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { BoughError } from '@bough/core';
import { tellFates } from '../attach/fates.ts';
import { attach, withFiles } from '../attach/index.ts';
import type { Stopping } from '../commands/streaming.ts';
import { exitCodeOf, followTurn, stoppingOf } from '../commands/streaming.ts';
import { branchOf } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { colours, jsonLine, table } from '../terminal/index.ts';
import type { ThinkingView } from '../view/turn.ts';
import { THINKING_VIEWS } from '../view/turn.ts';
import type { Lines } from './lines.ts';

export interface ChatSession {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly lines: Lines;
  readonly project: ProjectView;
  branch: BranchView;
  view: ThinkingView;
  /** What every message of this session asks for. */
  readonly limits: Pick<ChatInput, 'maxTokens' | 'failEarly' | 'overBudget'>;
  /** They go with the next message. */
  files: Exclude<MessageContentInput, string>;
  /** Every line of a turn, and every answer to a command, as one line of JSON. */
  readonly json: boolean;
  /** How many replies failed or were stopped. */
  failures: number;
}

const HELP = `/attach FILE     send a file with the next message
/branch NAME     fork here and go on there
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
    if (terminal.isInteractive && !session.json) terminal.write(dim(`${session.branch.name}> `));
    const line = await lines.next();
    if (line === null || line.trim() === '/quit') return;
    if (line.trim() === '') continue;
    try {
      if (isCommand(line)) await command(session, line.trim());
      else await say(session, line);
    } catch (error) {
      // A refusal by the server is reported, and the conversation continues.
      if (!(error instanceof ApiError || error instanceof BoughError)) throw error;
      if (session.json) terminal.write(`${jsonLine({ error: { code: error.code, message: error.message } })}\n`);
      else terminal.warn(`${error.message}\n`);
    }
  }
}

async function say(session: ChatSession, message: string): Promise<void> {
  const { client, terminal, project, branch } = session;
  const content = withFiles(session.files, message);
  await tellFates(client, terminal, branch, session.files);
  const input = { ref: branch.id, message: content, ...session.limits };
  const response = await askingFirst(session, (more) => client.chat(project.id, { ...input, ...more }));
  if (response === null) return;
  session.files = [];
  await follow(session, response);
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
    case '/attach':
      session.files = [...session.files, await attach(client, terminal, line.slice(word.length).trim())];
      terminal.warn('It goes with your next message.\n');
      return;
    case '/branch': {
      const wanted = name === '' ? {} : { name };
      session.branch = (await client.createBranch(project.id, { fromRef: session.branch.id, ...wanted })).branch;
      terminal.warn(`Now on ${session.branch.name}.\n`);
      return;
    }
    case '/switch':
      session.branch = await branchOf(client, project.id, name);
      terminal.warn(`Now on ${session.branch.name}.\n`);
      return;
    case '/branches': {
      const { branches } = await client.listBranches(project.id);
      const rows = branches.map(({ id, name: title, provider, model }) => [
        id === session.branch.id ? '*' : '',
        title,
        `${provider}/${model}`,
      ]);
      if (session.json) terminal.write(`${jsonLine({ branches })}\n`);
      else terminal.write(table(['', 'branch', 'model'], rows));
      return;
    }
    case '/thinking': {
      const view = THINKING_VIEWS.find((known) => known === name);
      if (view === undefined) terminal.warn(`Use ${THINKING_VIEWS.join(', ')}.\n`);
      else session.view = view;
      return;
    }
    case '/continue': {
      const input = { ref: session.branch.id, overBudget: session.limits.overBudget };
      const response = await askingFirst(session, (more) => client.continueTurn(project.id, { ...input, ...more }));
      if (response !== null) await follow(session, response);
      return;
    }
    case '/stop':
      terminal.warn('Nothing is running.\n');
      return;
    default:
      terminal.warn(HELP);
  }
}

/** Where a budget is used up, the person decides. Null: they do not want it, and nothing was sent. */
async function askingFirst(
  { terminal, lines }: ChatSession,
  send: (more: Pick<ChatInput, 'overBudget'>) => Promise<Response>,
): Promise<Response | null> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'over_budget') throw error;
    terminal.warn(`${error.message}\nSend it anyway? [y/N] `);
    const answer = (await lines.next())?.trim().toLowerCase() ?? '';
    return answer === 'y' || answer === 'yes' ? send({ overBudget: true }) : null;
  }
}

async function follow(session: ChatSession, response: Response): Promise<void> {
  const { client, project, terminal, lines, view, json } = session;
  const turn = { client, projectId: project.id };
  const stopping = stoppingOf(terminal, turn);
  lines.watch((line) => {
    if (line.trim() !== '/stop') return false;
    stopping.stop();
    return true;
  });
  terminal.signal.addEventListener('abort', stopping.stop);
  let turnId = '';
  const onLine = async (line: StreamLine): Promise<void> => {
    if (line.type === 'turn') turnId = line.turnId;
    if (line.type === 'approval' && line.state === 'asked') await decide(session, turnId, line.toolCallId, stopping);
  };
  try {
    const end = await followTurn(terminal, turn, { response }, { json, view, onLine, stopping });
    if (exitCodeOf(end) !== 0) session.failures += 1;
  } finally {
    terminal.signal.removeEventListener('abort', stopping.stop);
    lines.watch(null);
  }
}

async function decide(session: ChatSession, turnId: string, toolCallId: string, { wanted }: Stopping): Promise<void> {
  const { client, project, terminal, lines } = session;
  terminal.warn('Run it? [y/N] ');
  const answer = (await lines.next(wanted))?.trim().toLowerCase() ?? '';
  if (wanted.aborted) return;
  const approve = answer === 'y' || answer === 'yes';
  await patiently(() => client.approve(project.id, { turnId, toolCallId, approve }));
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
