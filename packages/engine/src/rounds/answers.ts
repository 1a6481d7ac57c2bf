import type { BranchId, NodeId, TurnId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Environment } from '../environment.ts';
import { replaceDocument } from '../library/document.ts';
import type { Round, RoundProgress } from './round.ts';

/** What one target said to one question, once. */
export interface RoundAnswer {
  /** `waiting`: a tool asks for approval. `refused`: no provider was asked. */
  readonly status: 'running' | 'waiting' | 'complete' | 'failed' | 'interrupted' | 'refused';
  /** Null where it was refused. */
  readonly turnId: TurnId | null;
  readonly branchId: BranchId | null;
  readonly branch: string | null;
  /** The last words of the reply. */
  readonly nodeId: NodeId | null;
  /** In US dollars; null while unknown. */
  readonly cost: number | null;
  /** What it counts against the limit: its cost, or what was expected where the provider did not count. */
  readonly counted: number;
  readonly milliseconds: number | null;
  readonly outputTokens: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** Question, target and sample, by number. */
export interface Cell {
  readonly key: string;
  readonly question: number;
  readonly target: number;
  readonly sample: number;
}

/** Everything that is known of a round's answers. Whatever is missing, because a server died, the turns still tell. */
export interface RoundAnswers {
  readonly answers: Readonly<Record<string, RoundAnswer>>;
  /** How often a cell was asked before, where it was. */
  readonly before: Readonly<Record<string, number>>;
  /** What those attempts counted. */
  readonly spentBefore: number;
}

const NONE: RoundAnswers = { answers: {}, before: {}, spentBefore: 0 };

/** In the order in which they are asked: every model answers the first question before the second begins. */
export function cellsOf({ targets, samples }: Pick<Round, 'targets' | 'samples'>, questions: number): readonly Cell[] {
  const cells: Cell[] = [];
  for (let question = 0; question < questions; question += 1)
    for (let sample = 0; sample < samples; sample += 1)
      for (let target = 0; target < targets.length; target += 1)
        cells.push({ key: `${question}.${target}.${sample}`, question, target, sample });
  return cells;
}

export async function readAnswers({ store }: Environment, round: string): Promise<RoundAnswers> {
  const value = (await store.getDocument(`round-${round}`))?.value;
  return isAnswers(value) ? value : NONE;
}

/** The document of a round that was deleted is there, and holds nothing. */
const isAnswers = (value: unknown): value is RoundAnswers =>
  isPlainObject(value) && isPlainObject(value['answers']) && isPlainObject(value['before']);

export const writeAnswers = (env: Environment, round: string, answers: RoundAnswers): Promise<void> =>
  replaceDocument(env, `round-${round}`, answers);

/** The shelf has no way to remove a document; what is left of it is nothing. */
export const forgetAnswers = (env: Environment, round: string): Promise<void> =>
  replaceDocument(env, `round-${round}`, null);

export const isOpen = ({ status }: RoundAnswer): boolean => status === 'running' || status === 'waiting';

export function progressOf({ answers, spentBefore }: RoundAnswers): RoundProgress {
  const all = Object.values(answers);
  const complete = all.filter(({ status }) => status === 'complete').length;
  const running = all.filter(isOpen).length;
  return {
    complete,
    running,
    failed: all.length - complete - running,
    spent: all.reduce((sum, { counted }) => sum + counted, spentBefore),
  };
}
