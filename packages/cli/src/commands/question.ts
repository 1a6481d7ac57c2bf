import type { Client, QuestionView } from '@bough/api';
import { findWords } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, table } from '../terminal/index.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import { BUDGET_OPTION, overBudgetOf } from './envelope.ts';
import { tellNotices } from './notices.ts';
import { exitCodeOf, followTurn } from './streaming.ts';
import { shortId } from '../view/short-id.ts';

export const question: Command = {
  name: 'question',
  summary: 'Ask about some words of a reply, on a hidden branch. Without a question: what was asked.',
  positionals: [{ name: 'node', optional: true }],
  options: {
    ...PROJECT_OPTION,
    about: { description: 'the words of the reply that are asked about', value: 'words' },
    message: { description: 'the question', value: 'text', short: 'm' },
    provider: { description: 'who answers (default: as on the branch of the reply)', value: 'id', with: ['message'] },
    model: { description: 'the model that answers', value: 'id', with: ['message'] },
    delete: { description: 'ask nothing: put the question on this branch into the trash', value: 'branch' },
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...BUDGET_OPTION,
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough question',
    'bough question 1f0c2a9e --about "sky" -m "Why this word?"',
    'bough question 1f0c2a9e --json',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const place = { client, project: (await projectOption(client, input)).id, input, terminal };
      const isAsking = input.text('about') !== undefined || input.text('message') !== undefined;
      const doomed = input.text('delete');
      if (doomed !== undefined) {
        if (isAsking || input.positional('node') !== undefined)
          throw new UsageError('--delete asks nothing: leave the message, --about and --message out.');
        return remove(place, doomed);
      }
      return isAsking ? ask(place) : list(place);
    }),
};

interface Place {
  readonly client: Client;
  readonly project: string;
  readonly input: Input;
  readonly terminal: Terminal;
}

async function ask({ client, project, input, terminal }: Place): Promise<ExitCode> {
  const [named, quote, text] = [input.positional('node'), input.text('about'), input.text('message')];
  if (named === undefined || quote === undefined || text === undefined)
    throw new UsageError('Name the reply, its words with --about and the question with --message.');
  if (quote.trim() === '' || text.trim() === '')
    throw new UsageError('Neither the words nor the question can be empty.');
  const [provider, model] = [input.text('provider'), input.text('model')];
  const nodeId = await nodeIdOf(client, project, named);
  const { node } = await client.getNode(nodeId);
  const words = { quote, before: '', after: '', offset: null };
  if (node.role === 'assistant' && findWords(node.content, words) === null)
    throw new UsageError('The reply does not say these words. Give them as `bough show` shows them.');
  const asked = await client.askAbout(project, {
    nodeId,
    quote,
    question: text,
    ...(provider !== undefined && { llmProvider: provider }),
    ...(model !== undefined && { llmModel: model }),
    ...overBudgetOf(input),
  });
  tellNotices(terminal, asked.notices);
  const { turnId, branch } = asked.question;
  const json = input.flag('json');
  if (!json) terminal.warn(`On ${branch}:\n`);
  if (turnId === null) return 0;
  const session = { client, projectId: project, signal: terminal.signal };
  const end = await followTurn(terminal, session, { turnId }, { json, view: thinkingView(input.text('thinking')) });
  return exitCodeOf(end);
}

async function list({ client, project, input, terminal }: Place): Promise<ExitCode> {
  const named = input.positional('node');
  const nodes = named === undefined ? undefined : [await nodeIdOf(client, project, named)];
  const { questions } = await client.listQuestions(project, nodes);
  if (input.flag('json')) printJson(terminal, questions);
  else if (questions.length === 0) terminal.write('Nothing was asked about words of a reply.\n');
  else terminal.write(table(['branch', 'reply', 'state', 'words', 'question', 'answer'], questions.map(row)));
  return 0;
}

function row({ branchId, nodeId, status, quote, question: text, answer }: QuestionView): readonly string[] {
  return [shortId(branchId), shortId(nodeId), status, ...[quote, text, answer].map(shortened)];
}

const SHOWN = 40;

function shortened(text: string): string {
  const letters = Array.from(text.trim().replaceAll(/\s+/g, ' '));
  return letters.length <= SHOWN ? letters.join('') : `${letters.slice(0, SHOWN - 1).join('')}…`;
}

async function remove({ client, project, input, terminal }: Place, named: string): Promise<ExitCode> {
  const { id, name } = await branchOf(client, project, named);
  const { trashId } = await client.deleteQuestion(project, id);
  if (input.flag('json')) printJson(terminal, { deleted: id, trashId });
  else terminal.write(`In the trash: ${name}. \`bough trash\` restores.\n`);
  return 0;
}
