import type {
  Client,
  QuestionSetView,
  RoundEstimateView,
  RoundTableView,
  RoundView,
  WholeQuestionSetView,
} from '@bough/api';
import { costText } from '../doctor/price.ts';
import { table } from '../terminal/index.ts';

type Answer = RoundTableView['rows'][number]['answers'][number];

const PAGE = 200;
const WORDS = 40;

/** A round with all of its rows, read in parts. */
export async function wholeTable(client: Client, id: string): Promise<RoundTableView> {
  const first = await client.getRound(id, { limit: PAGE });
  const rows = [...first.rows];
  while (rows.length < first.set.count) {
    const { rows: more } = await client.getRound(id, { offset: rows.length, limit: PAGE });
    if (more.length === 0) break;
    rows.push(...more);
  }
  return { ...first, rows };
}

export function listText(sets: readonly QuestionSetView[]): string {
  if (sets.length === 0) return 'There is no question set yet. Make one with `bough run-set NAME --from FILE`.\n';
  const rows = sets.map(({ id, name, count, rounds }) => {
    const last = rounds.at(-1);
    return [id.slice(0, 8), name, String(count), String(rounds.length), last === undefined ? '' : stateText(last)];
  });
  return table(['id', 'name', 'questions', 'rounds', 'newest'], rows);
}

export function setText({ name, questions, rounds }: WholeQuestionSetView): string {
  const asked = questions.map(({ id, text, expected = '' }) => [id, clipped(text, 80), clipped(expected, WORDS)]);
  const list = table(['id', 'question', 'expected'], asked);
  if (rounds.length === 0) return `${name}\n\n${list}\nNot asked yet: name who is asked with --model, and a --limit.\n`;
  const rows = rounds.map((round) => [
    round.id.slice(0, 8),
    round.createdAt.slice(0, 16).replace('T', ' '),
    stateText(round),
    `$${round.spent.toFixed(4)} of $${round.limit}`,
    round.targets.map(({ label }) => label).join(', '),
  ]);
  return `${name}\n\n${list}\n${table(['round', 'begun', 'state', 'spent', 'models'], rows)}`;
}

export function estimateText({ targets }: RoundEstimateView): string {
  const rows = targets.map(({ label, answers, likelyCost, mostCost, refused }) => [
    label ?? '',
    String(answers),
    refused?.detail ?? costText(likelyCost),
    refused === null ? costText(mostCost) : '',
  ]);
  const all = (of: (target: (typeof targets)[number]) => number | null): string => {
    const costs = targets.filter(({ refused }) => refused === null).map(of);
    return costText(
      costs.some((cost) => cost === null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    );
  };
  const sum = `All together ${all(({ likelyCost }) => likelyCost)}, and ${all(({ mostCost }) => mostCost)} at most.\n`;
  return `${table(['model', 'answers', 'likely', 'at most'], rows)}${sum}`;
}

/** Questions by models, then what each model cost and took. */
export function tableText({ round, set, sums, rows }: RoundTableView): string {
  const labels = sums.map(({ label }) => label);
  const answers = rows.map(({ question, answers: of }) => [
    clipped(question.text, WORDS),
    ...labels.map((_, target) =>
      of
        .filter((answer) => answer.target === target)
        .map(cellText)
        .join(' | '),
    ),
  ]);
  const summed = sums.map(({ label, complete, failed, cost, milliseconds, outputTokens }) => [
    label,
    String(complete),
    String(failed),
    cost === null ? '' : `$${cost.toFixed(4)}`,
    milliseconds === null ? '' : `${(milliseconds / 1_000).toFixed(1)} s`,
    String(outputTokens),
  ]);
  const head = `${set.name}, round ${round.id.slice(0, 8)}: ${stateText(round)}, $${round.spent.toFixed(4)} of $${round.limit}`;
  const why = round.because === null ? '' : `${round.because.detail} --resume --limit AMOUNT goes on.\n`;
  const failed = round.failed === 0 ? '' : '--again asks once more what failed.\n';
  const sumTable = table(['model', 'complete', 'failed', 'cost', 'mean time', 'tokens'], summed);
  return `${head}\n${why}${failed}\n${table(['question', ...labels], answers)}\n${sumTable}`;
}

function stateText({ state, complete, failed, answers }: RoundView): string {
  return `${state}, ${complete} of ${answers}${failed === 0 ? '' : `, ${failed} failed`}`;
}

function cellText({ status, text, error }: Answer): string {
  if (status === 'complete') return clipped(text, WORDS);
  return error === null ? `(${status})` : clipped(`(${status}: ${error.detail})`, WORDS);
}

function clipped(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= most) return line;
  // Not within a character: half a pair would be shown as rubbish.
  const cut = line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut}…`;
}
