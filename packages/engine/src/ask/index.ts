import type { NodeId, ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';
import { nameProject, startedBefore, startOnFork } from '../admit/requests.ts';
import type { StartedTurn } from '../admit/start.ts';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import type { AskPlace, AskRequest, AskTarget } from './targets.ts';
import { forkFor, placeOf } from './targets.ts';

export type { AskRequest, AskTarget } from './targets.ts';

export interface Answer {
  /** Which of the targets gives it. */
  readonly target: number;
  readonly started: StartedTurn;
}

/** What kept answers of a target from being started, and how many that are. */
export interface RefusedTarget {
  readonly target: number;
  readonly count: number;
  readonly error: unknown;
}

export interface Asked {
  /** The message that all of them answer; null if nobody was asked. */
  readonly nodeId: NodeId | null;
  readonly answers: readonly Answer[];
  readonly refused: readonly RefusedTarget[];
}

/**
 * One message to several models, several times. Each answer is on a branch of its own, below the same message, which is
 * what makes them versions of one reply; the branch that the question comes from stays as it is. Each target is
 * admitted by itself: what is refused is told, and the others answer.
 */
export async function ask(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  request: AskRequest,
): Promise<Asked> {
  const before = await answersBefore(env, projectId, request);
  const known = before.values().next().value;
  let place = await placeOf(env, projectId, request);
  // A repetition of the request must not ask the question a second time.
  if (known !== undefined) place = { ...place, asked: await askedIn(env, projectId, known) };
  const answers: Answer[] = [];
  const refused: RefusedTarget[] = [];
  for (const [target, wanted] of request.targets.entries()) {
    const count = wanted.n ?? 1;
    for (let sample = 0; sample < count; sample += 1) {
      const key = requestIdOf(request, target, sample);
      const repeated = key === undefined ? undefined : before.get(key);
      if (repeated !== undefined) {
        answers.push({ target, started: repeated });
        continue;
      }
      try {
        const started = await answer(env, runner, projectId, { place, wanted, clientRequestId: key, request });
        answers.push({ target, started });
        if (place.asked === null) place = { ...place, asked: await askedIn(env, projectId, started) };
      } catch (error) {
        if (!(error instanceof BoughError))
          env.observe({ type: 'problem', what: 'one of several answers', message: String(error) });
        refused.push({ target, count: count - sample, error });
        break;
      }
    }
  }
  if (place.parentId === null && request.message !== undefined && answers.length > 0)
    await nameProject(env, projectId, place.content);
  return { nodeId: answers.length === 0 ? null : place.asked, answers, refused };
}

interface OneAnswer {
  readonly place: AskPlace;
  readonly wanted: AskTarget;
  readonly clientRequestId: string | undefined;
  readonly request: AskRequest;
}

/** The first one brings the question with it; the others are beside it. */
async function answer(
  env: Environment,
  runner: TurnRunner,
  projectId: ProjectId,
  { place, wanted, clientRequestId, request }: OneAnswer,
): Promise<StartedTurn> {
  const isFirst = place.asked === null;
  return startOnFork(env, runner, await forkFor(env, place, wanted), {
    projectId,
    parentId: place.asked ?? place.parentId,
    ...(isFirst ? { content: place.content } : {}),
    clientRequestId,
    overBudget: request.overBudget,
  });
}

function requestIdOf({ clientRequestId }: AskRequest, target: number, sample: number): string | undefined {
  return clientRequestId === undefined ? undefined : `${clientRequestId}#${target}.${sample}`;
}

/** What an earlier request with the same id began, by the id of each answer. */
async function answersBefore(
  env: Environment,
  projectId: ProjectId,
  request: AskRequest,
): Promise<ReadonlyMap<string, StartedTurn>> {
  const found = new Map<string, StartedTurn>();
  for (const [target, { n = 1 }] of request.targets.entries())
    for (let sample = 0; sample < n; sample += 1) {
      const key = requestIdOf(request, target, sample);
      const started = await startedBefore(env, projectId, key);
      if (key !== undefined && started !== null) found.set(key, started);
    }
  return found;
}

/** The message that a turn answers: one of its own, or the one that its branch was forked from. */
async function askedIn(env: Environment, projectId: ProjectId, { turn, branch }: StartedTurn): Promise<NodeId | null> {
  const own = (await env.store.nodesOfTurn(projectId, turn.id)).find(({ role }) => role === 'user');
  return own?.id ?? branch.forkedFromId;
}
