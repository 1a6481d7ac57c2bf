import type { Client, QuestionSetView } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, findServer, withConnection } from '../connect/index.ts';
import { oneOf, PROJECT_OPTION } from '../connect/names.ts';
import { makeSet, replaceQuestions } from '../run-set/make.ts';
import { followRound } from '../run-set/follow.ts';
import { estimateText, listText, setText, tableText, wholeTable } from '../run-set/text.ts';
import { moneyOf, wishOf } from '../run-set/wish.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson } from '../terminal/index.ts';
import { THINKING_LEVELS } from './thinking-levels.ts';

/** What is done with a round that there is. */
const STEERING = ['watch', 'pause', 'resume', 'again', 'cancel', 'table', 'csv'] as const;

/** What says how a round is made means nothing for one that there is; its money can be changed. */
const START = { with: ['model', 'preset'] } as const;
const MONEY = { with: ['model', 'preset', 'resume', 'again', 'watch'] } as const;

export const runSet: Command = {
  name: 'run-set',
  summary: 'Ask several models a whole set of questions, within a limit on money, and show the answers as a table.',
  positionals: [{ name: 'set', optional: true }],
  options: {
    from: { description: 'make the set: questions in JSON Lines or one per line ("-": standard input)', value: 'file' },
    branch: { description: 'make the set: what you said on this branch', value: 'branch' },
    replace: { description: 'with --from or --branch: other questions for the set that there is' },
    rename: { description: 'give the set another name', value: 'name' },
    ...PROJECT_OPTION,
    model: {
      description: 'start a round: who is asked, PROVIDER/MODEL or PROVIDER; may be repeated',
      value: 'model',
      many: true,
    },
    preset: { description: 'start a round: ask with this preset; may be repeated', value: 'name', many: true },
    samples: {
      description: 'how many answers of each to each question (default 1)',
      value: 'number',
      short: 'n',
      ...START,
    },
    limit: { description: 'the most that the round may cost, in US dollars', value: 'amount', ...MONEY },
    'max-tokens': {
      description: 'the most tokens of each answer; with it the limit cannot be exceeded',
      value: 'number',
      ...START,
    },
    effort: {
      description: 'how hard the models are asked to think',
      value: 'level',
      choices: THINKING_LEVELS,
      ...START,
    },
    'at-once': {
      description: 'how many answers of one provider are made at a time (default 3)',
      value: 'number',
      ...START,
    },
    unpriced: { description: 'also ask models whose price is unknown, for which no limit holds', ...START },
    estimate: { description: 'only tell what the round would cost' },
    round: { description: 'the round that is meant (default: the newest of the set)', value: 'round', with: STEERING },
    table: { description: 'show its answers' },
    csv: { description: 'print its answers for other programs, one in a line' },
    watch: { description: 'follow it until it ends' },
    pause: { description: 'ask no more; the answers under way are finished' },
    resume: { description: 'go on, with another --limit if you like' },
    again: { description: 'ask once more what failed' },
    cancel: { description: 'stop the answers under way and give the round up' },
    remove: { description: 'remove the set and its rounds; the projects with the answers stay' },
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough run-set',
    'bough run-set Colours --from questions.txt --model simulated --model simulated_chat -n 2 --limit 0.50',
    'bough run-set Sky --branch main --model simulated_gemini --estimate',
  ],
  run: async (input, terminal) => {
    const steering = STEERING.filter((name) => input.flag(name));
    const isStart = input.texts('model').length + input.texts('preset').length > 0;
    check(input, steering, isStart);
    const asks = isStart || input.flag('resume') || input.flag('again') || input.flag('watch');
    // A server that is only there for this command takes its rounds with it.
    const isOwn = (await findServer(input, terminal)) === null;
    return withConnection(input, terminal, asks ? 'tools' : 'no tools', async ({ client }) => {
      const name = input.positional('set');
      if (name === undefined) return list(client, input, terminal);
      const wantsNew = input.text('from') !== undefined || input.text('branch') !== undefined;
      const isThere = !wantsNew || input.flag('replace');
      let set = isThere ? await setNamed(client, name) : await makeSet(client, input, terminal);
      if (wantsNew && isThere) set = await replaceQuestions(client, set, input, terminal);
      const renamed = input.text('rename');
      if (renamed !== undefined) ({ set } = await client.updateQuestionSet(set.id, { name: renamed }));
      if (input.flag('remove')) return remove(client, set, input, terminal);
      const desk = { client, terminal, isOwn, json: input.flag('json') };
      if (isStart) return begin(desk, set, input);
      if (steering.length > 0) return steer(desk, set, input);
      const { set: whole } = await client.getQuestionSet(set.id);
      if (desk.json) printJson(terminal, whole);
      else terminal.write(setText(whole));
      return 0;
    });
  },
};

export interface Desk {
  readonly client: Client;
  readonly terminal: Terminal;
  /** Whether the server ends with this command. */
  readonly isOwn: boolean;
  readonly json: boolean;
}

function check(input: Input, steering: readonly string[], isStart: boolean): void {
  const named = steering.map((name) => `--${name}`);
  if (steering.length > 1) throw new UsageError(`${named.join(' and ')} do not go together.`);
  if (isStart && steering.length > 0) throw new UsageError(`--model starts another round: leave ${named[0]} out.`);
  if (input.text('from') !== undefined && input.text('branch') !== undefined)
    throw new UsageError('A set is made from a file or from a branch: name one of --from and --branch.');
  const isFrom = (input.text('from') ?? input.text('branch')) !== undefined;
  if (input.flag('replace') && !isFrom)
    throw new UsageError('Say with --from or --branch where the other questions are.');
  const changes = input.flag('remove') || input.text('rename') !== undefined || input.flag('replace');
  if (input.positional('set') === undefined && (isStart || steering.length > 0 || changes))
    throw new UsageError('<set> is missing. `bough run-set` lists the sets.');
  if (input.positional('set') === undefined && isFrom)
    throw new UsageError('Give the new set a name: `bough run-set NAME --from FILE`.');
  if (input.flag('estimate') && !isStart) throw new UsageError('Name who would be asked with --model or --preset.');
  if (isStart && !input.flag('estimate') && input.text('limit') === undefined)
    throw new UsageError('Say with --limit how many US dollars the round may cost. --estimate tells what is likely.');
}

async function setNamed(client: Client, name: string): Promise<QuestionSetView> {
  const { sets } = await client.listQuestionSets();
  return oneOf('question set', name, sets, (set) => set.name);
}

async function list(client: Client, input: Input, terminal: Terminal): Promise<ExitCode> {
  const { sets } = await client.listQuestionSets();
  if (input.flag('json')) printJson(terminal, sets);
  else terminal.write(listText(sets));
  return 0;
}

async function remove(client: Client, set: QuestionSetView, input: Input, terminal: Terminal): Promise<ExitCode> {
  await client.deleteQuestionSet(set.id);
  if (input.flag('json')) printJson(terminal, { removed: set.id });
  else terminal.write(`Removed "${set.name}". The projects with its answers stay.\n`);
  return 0;
}

async function begin(desk: Desk, set: QuestionSetView, input: Input): Promise<ExitCode> {
  const { client, terminal, json } = desk;
  const wish = await wishOf(client, input);
  if (input.flag('estimate')) {
    const estimate = await client.estimateRound(set.id, wish);
    if (json) printJson(terminal, estimate);
    else terminal.write(estimateText(estimate));
    return 0;
  }
  const atOnce = input.whole('at-once');
  const { round } = await client.startRound(set.id, {
    ...wish,
    limit: moneyOf(input, 'limit') ?? 0,
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(input.flag('unpriced') ? { unpriced: true } : {}),
  });
  if (!json) terminal.warn(`Round ${round.id.slice(0, 8)}: ${round.answers} answers, at most $${round.limit}.\n`);
  return followRound(desk, round.id);
}

async function steer(desk: Desk, set: QuestionSetView, input: Input): Promise<ExitCode> {
  const { client, terminal, json } = desk;
  const named = input.text('round');
  const round = named === undefined ? set.rounds.at(-1) : oneOf('round', named, set.rounds, () => null);
  if (round === undefined)
    throw new UsageError(`"${set.name}" has not been asked yet. Name who is asked with --model, and a --limit.`);
  const limit = moneyOf(input, 'limit');
  const money = limit === undefined ? {} : { limit };
  // Whoever follows a round that its server left running takes it up: alone it would never end.
  const isLeft = input.flag('watch') && round.state === 'running';
  if (input.flag('resume') || isLeft) await client.updateRound(round.id, { state: 'running', ...money });
  if (input.flag('again')) await client.updateRound(round.id, { again: true, ...money });
  if (input.flag('resume') || input.flag('again') || input.flag('watch')) return followRound(desk, round.id);
  if (input.flag('pause')) await client.updateRound(round.id, { state: 'paused' });
  if (input.flag('cancel')) await client.updateRound(round.id, { state: 'cancelled' });
  if (input.flag('csv')) {
    terminal.writeExactly(await client.roundCsv(round.id));
    return 0;
  }
  const table = await wholeTable(client, round.id);
  if (json) printJson(terminal, table);
  else terminal.write(tableText(table));
  return 0;
}
