import type { NodeId, SetQuestion } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { RoundAnswer, RoundAnswers } from './answers.ts';
import { cellsOf, isOpen, progressOf, readAnswers } from './answers.ts';
import { askedBy } from './asked.ts';
import type { Round, RoundTarget } from './round.ts';
import { getRound } from './round.ts';
import type { QuestionSet } from './set.ts';

/** An answer in the table; null until it is asked for. */
export interface TableAnswer {
  readonly target: number;
  readonly sample: number;
  readonly answer: RoundAnswer | null;
  /** What it says; empty where nothing is stored (yet). */
  readonly text: string;
}

export interface TableRow {
  readonly question: SetQuestion;
  readonly answers: readonly TableAnswer[];
}

/** How one target fared, over all questions. */
export interface TargetSum {
  readonly target: RoundTarget;
  readonly complete: number;
  readonly failed: number;
  /** In US dollars; null where nothing is known. */
  readonly cost: number | null;
  /** The mean of its answers. */
  readonly milliseconds: number | null;
  readonly outputTokens: number;
}

export interface RoundTable {
  readonly round: Round;
  readonly set: QuestionSet;
  readonly sums: readonly TargetSum[];
  readonly rows: readonly TableRow[];
}

/** Questions by answers: of all of them, or of a part. */
export async function roundTable(
  env: Environment,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<RoundTable> {
  const round = await getRound(env, id);
  const set = await askedBy(env, round);
  const found = await readAnswers(env, id);
  const questions = set.questions.slice(offset, offset + limit);
  const cells = cellsOf(round, set.questions.length).filter(
    ({ question }) => question >= offset && question < offset + limit,
  );
  const texts = await textsOf(
    env,
    round,
    cells.flatMap(({ key }) => found.answers[key]?.nodeId ?? []),
  );
  const answersTo = (question: number): readonly TableAnswer[] =>
    cells
      .filter((cell) => cell.question === question)
      .map(({ key, target, sample }) => {
        const answer = found.answers[key] ?? null;
        const isError = answer?.error != null;
        return { target, sample, answer, text: isError ? '' : (texts.get(answer?.nodeId ?? '') ?? '') };
      })
      .toSorted((a, b) => a.target - b.target || a.sample - b.sample);
  return {
    round: { ...round, progress: progressOf(found) },
    set,
    sums: round.targets.map((target, index) => sumOf(target, index, found)),
    rows: questions.map((question, index) => ({ question, answers: answersTo(offset + index) })),
  };
}

function sumOf(target: RoundTarget, index: number, { answers }: RoundAnswers): TargetSum {
  const own = Object.entries(answers).flatMap(([key, answer]) => (key.split('.')[1] === String(index) ? [answer] : []));
  const ended = own.filter((answer) => !isOpen(answer));
  const complete = ended.filter(({ status }) => status === 'complete');
  const costs = ended.flatMap(({ cost }) => cost ?? []);
  const times = complete.flatMap(({ milliseconds }) => milliseconds ?? []);
  const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
  return {
    target,
    complete: complete.length,
    failed: ended.length - complete.length,
    cost: costs.length === 0 ? null : total(costs),
    milliseconds: times.length === 0 ? null : Math.round(total(times) / times.length),
    outputTokens: total(ended.map(({ outputTokens }) => outputTokens ?? 0)),
  };
}

/** Answers may have been deleted since; the others are shown. */
async function textsOf(
  env: Environment,
  { projectId }: Round,
  ids: readonly NodeId[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const read = async (some: readonly NodeId[]): Promise<void> => {
    for (const { id, content } of await env.store.getNodes(projectId, some)) texts.set(id, content);
  };
  try {
    if (ids.length > 0) await read(ids);
  } catch (error) {
    if (!(error instanceof UnknownIdError)) throw error;
    for (const id of ids) await read([id]).catch(ignoreUnknown);
  }
  return texts;
}

function ignoreUnknown(error: unknown): void {
  if (!(error instanceof UnknownIdError)) throw error;
}
