import { ConflictError } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { News, TurnEnd } from '../watch/hub.ts';
import { closeTurn } from './close.ts';
import type { Failure } from './failure.ts';
import { DELETED, failureOf, isDeleted, isOfTheRequest } from './failure.ts';
import type { RunningTurn } from './running.ts';

/**
 * What watchers are told when a run is over: its turn ended, it waits or belongs to another server, or it failed and
 * cannot even be closed.
 */
export type Outcome = Exclude<News, { type: 'entry' }>;

/** The end as it is stored; without its nodes where not all of them are known here. */
export function ended(
  env: Environment,
  running: RunningTurn,
  status: TurnEnd['status'],
  nodeIds: TurnEnd['nodeIds'] | null,
): Outcome {
  const durationMs = env.now().getTime() - running.startedAt;
  env.observe({ type: 'turn_ended', turnId: running.turn.id, status, durationMs });
  return { type: 'ended', end: nodeIds === null ? null : { status, nodeIds } };
}

/** Stores what was shown, followed by the failure: just what another server would do if this one had died. */
export async function closeAfterFailure(env: Environment, running: RunningTurn, error: unknown): Promise<Outcome> {
  const problem = (what: string, found: unknown): void =>
    env.observe({
      type: 'problem',
      what,
      message: found instanceof Error ? (found.stack ?? found.message) : String(found),
    });
  if (!isDeleted(error) && !isOfTheRequest(error)) problem('turn', error);
  // Nothing in the turn may continue past its end.
  running.abort.abort();
  await running.log.settled();
  if (isTakenOver(error)) return { type: 'progress' };
  if (isDeleted(error)) return failed(running, DELETED);
  const failure = failureOf(error);
  try {
    return ended(env, running, await closeTurn(env, running.turn, failure), null);
  } catch (second) {
    if (isDeleted(second)) return failed(running, DELETED);
    problem('closing a turn', second);
    if (isTakenOver(second)) return { type: 'progress' };
    // The store does not accept it: the lease runs out, and recovery closes the turn once it can. Until then only these
    // watchers know.
    return failed(running, failure);
  }
}

function failed({ log }: RunningTurn, failure: Failure): Outcome {
  return { type: 'failed', line: { type: 'error', ...failure, seq: log.lineSeq + 1 } };
}

/**
 * Another server took over the turn while this one stalled: that one stores and reports the end, and this one must not
 * write another word.
 */
function isTakenOver(error: unknown): boolean {
  return error instanceof ConflictError && (error.code === 'not_owner' || error.code === 'id_taken');
}
