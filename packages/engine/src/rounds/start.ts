import { RequestError } from '../admit/errors.ts';
import { createProject } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import { forgetAnswers, isOpen, progressOf, readAnswers, writeAnswers } from './answers.ts';
import { forgetAsked, keepAsked } from './asked.ts';
import { priceOf } from './money.ts';
import type { Round } from './round.ts';
import { changeRound, changeRounds, getRound, isHeld, listRounds } from './round.ts';
import { getSet } from './set.ts';
import type { RoundWish } from './targets.ts';
import { labelled, resolveTarget } from './targets.ts';

export interface NewRound extends RoundWish {
  /** In US dollars. */
  readonly limit: number;
  readonly atOnce: number;
  /** Also asks models whose price is unknown, for which no limit on money can hold. */
  readonly unpriced?: boolean | undefined;
  readonly clientRequestId?: string | undefined;
}

/** The documents that tell of the answers are written as a whole: with more they would no longer be quick. */
export const MAX_ROUND_ANSWERS = 2_000;

/** Makes the project and the round. Whoever works on rounds begins with it at once. */
export async function startRound(env: Environment, setRef: string, wish: NewRound): Promise<Round> {
  const set = await getSet(env, setRef);
  const { samples, limit, maxTokens, atOnce, clientRequestId = null } = wish;
  const before = (await listRounds(env)).find(
    (round) => clientRequestId !== null && round.clientRequestId === clientRequestId,
  );
  if (before !== undefined) return before;
  const answers = set.questions.length * samples * wish.targets.length;
  if (answers > MAX_ROUND_ANSWERS)
    throw new RequestError(
      'invalid_content',
      `That would be ${answers} answers; a round has at most ${MAX_ROUND_ANSWERS}. Ask fewer models or fewer times.`,
    );
  const resolved = [];
  for (const wanted of wish.targets) resolved.push(await resolveTarget(env, wanted, set.systemPrompt));
  const targets = labelled(resolved);
  const [first] = targets;
  if (first === undefined) throw new RequestError('invalid_content', 'Name at least one model to ask.');
  const unpriced = targets.filter(
    (target) => priceOf(env, target, { question: '', systemPrompt: null, maxTokens }).most === null,
  );
  if (unpriced.length > 0 && wish.unpriced !== true)
    throw new RequestError(
      'price_unknown',
      `The price of ${unpriced.map(({ label }) => label).join(', ')} is unknown, so that the limit could not hold. ` +
        'State a price in the settings, leave it out, or allow unknown prices.',
    );
  const count = (await listRounds(env)).filter(({ setId }) => setId === set.id).length;
  const { project } = await createProject(env, {
    name: count === 0 ? set.name : `${set.name} (${count + 1})`,
    description: `Answers to the question set "${set.name}".`,
    provider: first.provider,
    model: first.model,
    systemPrompt: set.systemPrompt,
    tools: [],
    preset: null,
  });
  const round: Round = {
    id: env.ids.item(),
    setId: set.id,
    projectId: project.id,
    targets,
    samples,
    limit,
    maxTokens,
    atOnce,
    answers,
    state: 'running',
    because: null,
    progress: { complete: 0, failed: 0, running: 0, spent: 0 },
    createdAt: env.now().toISOString(),
    endedAt: null,
    clientRequestId,
    owner: null,
  };
  await keepAsked(env, round.id, set);
  return changeRounds(env, (rounds) => ({ items: [...rounds, round], result: round }));
}

export interface RoundChange {
  readonly state?: 'running' | 'paused' | 'cancelled' | undefined;
  readonly limit?: number | undefined;
  /** Asks again what failed, was refused or was interrupted. */
  readonly again?: boolean | undefined;
}

/** Pauses, goes on or gives up. What is under way is finished by a pause, and stopped by a cancellation. */
export async function steerRound(env: Environment, id: string, change: RoundChange): Promise<Round> {
  const { state, limit, again = false } = change;
  if (again) await askAgain(env, id);
  const round = await changeRound(env, id, (before) => {
    const wanted = state ?? (again ? 'running' : before.state);
    const next = { ...before, limit: limit ?? before.limit };
    if (wanted === before.state) return next;
    if (before.state === 'cancelled' || (before.state === 'finished' && !again))
      throw new RequestError('round_over', `This round is ${before.state}. Start another one.`);
    if (wanted === 'running' && next.progress.spent >= next.limit && next.progress.spent > 0)
      throw new RequestError(
        'limit_too_low',
        `$${next.progress.spent.toFixed(4)} were spent, and the limit is $${next.limit}. Go on with a higher limit.`,
      );
    return {
      ...next,
      state: wanted,
      because: null,
      endedAt: wanted === 'cancelled' ? env.now().toISOString() : null,
    };
  });
  await env.store.publish({ type: 'changed', projectId: round.projectId });
  return round;
}

async function askAgain(env: Environment, id: string): Promise<void> {
  const round = await getRound(env, id);
  if (round.state === 'cancelled') throw new RequestError('round_over', 'This round is cancelled. Start another one.');
  if (isHeld(round, env.now()))
    throw new RequestError('round_busy', 'Answers are still being given. Pause the round and wait for them first.');
  const found = await readAnswers(env, id);
  const over = Object.entries(found.answers).filter(([, answer]) => answer.status !== 'complete' && !isOpen(answer));
  const gone = new Set(over.map(([key]) => key));
  const changed = {
    answers: Object.fromEntries(Object.entries(found.answers).filter(([key]) => !gone.has(key))),
    before: { ...found.before, ...Object.fromEntries(over.map(([key]) => [key, (found.before[key] ?? 0) + 1])) },
    spentBefore: over.reduce((sum, [, { counted }]) => sum + counted, found.spentBefore),
  };
  await writeAnswers(env, id, changed);
  await changeRound(env, id, (before) => ({ ...before, progress: progressOf(changed) }));
}

/** Forgets a round; the project with its answers stays. */
export async function deleteRound(env: Environment, id: string): Promise<void> {
  const round = await getRound(env, id);
  if (isHeld(round, env.now())) throw new RequestError('round_busy', 'This round is running. Cancel it first.');
  await changeRounds(env, (rounds) => ({ items: rounds.filter((each) => each.id !== id), result: undefined }));
  await forgetAnswers(env, id);
  await forgetAsked(env, id);
}
