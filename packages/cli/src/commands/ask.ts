import type { AskEstimate, AskTargetInput, Client } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import { ATTACH_OPTION, attachedFiles, withFiles } from '../attach/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, nodeIdOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { costText } from '../doctor/price.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, table } from '../terminal/index.ts';
import { THINKING_VIEWS, thinkingView } from '../view/turn.ts';
import { BUDGET_OPTION, overBudgetOf } from './envelope.ts';
import { tellNotices } from './notices.ts';
import { exitCodeOf, followTurn } from './streaming.ts';
import { THINKING_LEVELS } from './thinking-levels.ts';

export const ask: Command = {
  name: 'ask',
  summary: 'Ask several models the same thing, each on a branch of its own. Without a message: what was asked there.',
  positionals: [{ name: 'branch', optional: true }],
  options: {
    ...PROJECT_OPTION,
    message: { description: 'the message (default: the one that is answered there)', value: 'text', short: 'm' },
    ...ATTACH_OPTION,
    node: { description: 'ask from this message instead of from the end of the branch', value: 'node' },
    model: {
      description: 'who is asked: PROVIDER/MODEL, PROVIDER, or a model of the branch; may be repeated',
      value: 'model',
      many: true,
    },
    preset: { description: 'ask with this preset; may be repeated', value: 'name', many: true },
    count: { description: 'how many answers of each (default 1)', value: 'number', short: 'n' },
    effort: { description: 'how hard the models are asked to think', value: 'level', choices: THINKING_LEVELS },
    estimate: { description: 'only tell what it would cost' },
    drop: {
      description: 'ask nothing: put the answer on this branch into the trash; may be repeated',
      value: 'branch',
      many: true,
      without: ['attach', 'node', 'preset', 'count', 'effort', 'estimate'],
    },
    thinking: { description: 'how reasoning is shown (default folded)', value: 'view', choices: THINKING_VIEWS },
    ...BUDGET_OPTION,
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough ask -m "Why is the sky blue?" --model simulated/sim-thinker --model simulated_chat -n 2',
    'bough ask main --model simulated_gemini',
    'bough ask --estimate -m "Why is the sky blue?" -n 3',
    'bough ask -a sky.png -m "What is this?" --model simulated --model simulated_gemini',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      if (input.texts('drop').length > 0) return drop(client, project.id, input, terminal);
      const request = await requestIn(client, project.id, input, terminal);
      if (input.flag('estimate')) {
        const estimate = await client.askEstimate(project.id, request);
        if (input.flag('json')) printJson(terminal, estimate);
        else terminal.write(estimateText(estimate));
        return 0;
      }
      const { answers, refused, notices } = await client.ask(project.id, request);
      tellNotices(terminal, notices);
      const json = input.flag('json');
      let code: ExitCode = 0;
      for (const { turnId, branch, provider, model } of answers) {
        if (!json) terminal.warn(`${provider}/${model}, on ${branch}:\n`);
        const session = { client, projectId: project.id, signal: terminal.signal };
        const view = thinkingView(input.text('thinking'));
        const end = await followTurn(terminal, session, { turnId }, { json, view });
        if (exitCodeOf(end) !== 0) code = 1;
      }
      for (const { target, count, detail } of refused)
        terminal.warn(`${count} of ${nameOf(request.targets[target])} could not be started: ${detail}\n`);
      return refused.length === 0 ? code : 1;
    }),
};

async function requestIn(client: Client, project: string, input: Input, terminal: Terminal) {
  const [message, node, effort] = [input.text('message'), input.text('node'), input.text('effort')];
  const n = input.whole('count') ?? 1;
  if (n < 1) throw new UsageError('--count takes a number from 1 on.');
  const level = THINKING_LEVELS.find((known) => known === effort);
  const every = { n, ...(level === undefined ? {} : { thinking: level }) };
  const { providers } = await client.listProviders();
  const known = new Set(providers.map(({ id }) => id));
  const named = [
    ...input.texts('model').map((model) => targetOf(known, model)),
    ...input.texts('preset').map((preset) => ({ preset })),
  ];
  const files = await attachedFiles(client, terminal, input);
  return {
    ref: (await branchOf(client, project, input.positional('branch') ?? 'main')).id,
    ...(node === undefined ? {} : { fromNodeId: await nodeIdOf(client, project, node) }),
    ...(message === undefined && files.length === 0 ? {} : { message: withFiles(files, message ?? '') }),
    targets: (named.length === 0 ? [{}] : named).map((target): AskTargetInput => ({ ...target, ...every })),
    ...overBudgetOf(input),
  };
}

/** A slash may also be part of a model's name: what comes before it is a provider only if there is such a one. */
export function targetOf(providers: ReadonlySet<string>, text: string): AskTargetInput {
  if (providers.has(text)) return { provider: text };
  const slash = text.indexOf('/');
  const provider = text.slice(0, Math.max(0, slash));
  return providers.has(provider) ? { provider, model: text.slice(slash + 1) } : { model: text };
}

function nameOf({ provider, model, preset }: AskTargetInput = {}): string {
  return preset ?? ([provider, model].filter((part) => part !== undefined).join('/') || "the branch's own model");
}

function estimateText({ targets, inputCost, mostCost, unpriced }: AskEstimate): string {
  const rows = targets.map(({ provider, model, n, estimate, refused }) => [
    provider === null ? '' : `${provider}/${model}`,
    String(n),
    estimate === null ? '' : String(estimate.inputTokens),
    refused?.detail ?? costText(estimate?.mostCost ?? null),
  ]);
  const sum = `All together ${costText(inputCost)} for the question, ${costText(mostCost)} with the longest answers.\n`;
  const without = unpriced === 0 ? '' : `Without ${unpriced} answer(s) whose price is not known.\n`;
  return `${table(['model', 'answers', 'tokens', 'each at most'], rows)}${sum}${without}`;
}

async function drop(client: Client, project: string, input: Input, terminal: Terminal): Promise<ExitCode> {
  if (input.text('message') !== undefined || input.texts('model').length > 0)
    throw new UsageError('--drop asks nothing: leave --message and --model out.');
  const branches = await Promise.all(input.texts('drop').map((named) => branchOf(client, project, named)));
  const answers = new Map<string, string[]>();
  for (const branch of branches) {
    const asked = await askedOn(client, project, branch.id);
    answers.set(asked, [...(answers.get(asked) ?? []), branch.id]);
  }
  const deleted: string[] = [];
  const trashIds: string[] = [];
  for (const [nodeId, of] of answers) {
    const kept = await client.keepAnswers(project, { nodeId, answers: of, keep: [] });
    deleted.push(...kept.deleted);
    trashIds.push(...kept.trashIds);
  }
  if (input.flag('json')) printJson(terminal, { deleted, trashIds });
  else terminal.write(`In the trash: ${deleted.join(', ')}. \`bough trash\` restores.\n`);
  return 0;
}

/** The newest message of the user on a branch. */
async function askedOn(client: Client, project: string, ref: string): Promise<string> {
  const { groups } = await client.history(project, { ref });
  const asked = groups.findLast(({ user }) => user !== null)?.user;
  if (asked == null) throw new UsageError('Nothing was asked on this branch.');
  return asked.id;
}
