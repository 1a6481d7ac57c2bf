import type { EnvelopeRequest, ProjectId } from '@bough/core';
import { isPlainObject, UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import { changeList, readList } from '../library/document.ts';

export type RoundState = 'running' | 'paused' | 'cancelled' | 'finished';

/** A model with its settings, as it was when the round began: a preset that changes meanwhile changes nothing here. */
export interface RoundTarget {
  readonly label: string;
  readonly provider: string;
  readonly model: string;
  readonly requested: EnvelopeRequest;
  /** The id of the preset that it was made from. */
  readonly preset?: string;
}

/** How far a round has come. */
export interface RoundProgress {
  /** Answers that were given completely. */
  readonly complete: number;
  /** Answers that ended otherwise: an error, a refusal, an interruption. */
  readonly failed: number;
  readonly running: number;
  /** In US dollars, of all attempts. Where a provider did not count, what was expected. */
  readonly spent: number;
}

/** One time that a question set is asked. Its answers are branches of a project of its own. */
export interface Round {
  readonly id: string;
  readonly setId: string;
  readonly projectId: ProjectId;
  readonly targets: readonly RoundTarget[];
  /** How many answers each target gives to each question. */
  readonly samples: number;
  /** In US dollars. */
  readonly limit: number;
  /** The most tokens of each answer; null: as many as the model gives. */
  readonly maxTokens: number | null;
  /** How many answers of one provider are made at the same time. */
  readonly atOnce: number;
  /** How many answers there will be. */
  readonly answers: number;
  readonly state: RoundState;
  /** Why it stands still, if nobody asked for that. */
  readonly because: RoundReason | null;
  readonly progress: RoundProgress;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Whoever repeats the request that began it gets this round, and no second one. */
  readonly clientRequestId: string | null;
  /**
   * The server that asks, until when it need not be asked whether it lives. Without it, two servers would each keep to
   * the limit and together exceed it. Null: nobody, and no answer is under way.
   */
  readonly owner: { readonly id: string; readonly until: number } | null;
}

export interface RoundReason {
  readonly code: 'limit_reached' | 'over_budget' | 'project_gone' | 'set_gone';
  readonly detail: string;
}

export const listRounds = (env: Environment): Promise<readonly Round[]> => readList(env, 'rounds', isRound);

export const changeRounds = <Result>(
  env: Environment,
  change: (rounds: readonly Round[]) => { readonly items: readonly Round[]; readonly result: Result },
): Promise<Result> => changeList(env, 'rounds', isRound, change);

export async function getRound(env: Environment, id: string): Promise<Round> {
  return findIn(await listRounds(env), id);
}

/** Changes one round as it is at that moment. */
export function changeRound(env: Environment, id: string, change: (round: Round) => Round): Promise<Round> {
  return changeRounds(env, (rounds) => {
    const round = change(findIn(rounds, id));
    return { items: rounds.map((each) => (each.id === id ? round : each)), result: round };
  });
}

/** Whether a server works on it, or will at once. */
export function isHeld({ state, owner }: Round, now: Date): boolean {
  return state === 'running' || (owner !== null && owner.until > now.getTime());
}

function findIn(rounds: readonly Round[], id: string): Round {
  const found = rounds.find((round) => round.id === id);
  if (found === undefined) throw new UnknownIdError('round', id);
  return found;
}

function isRound(value: unknown): value is Round {
  if (!isPlainObject(value)) return false;
  const { id, setId, projectId, targets, limit, state, progress } = value;
  return (
    [id, setId, projectId, state].every((each) => typeof each === 'string') &&
    typeof limit === 'number' &&
    isPlainObject(progress) &&
    Array.isArray(targets)
  );
}
