import type { LineBody, Turn } from '@bough/core';
import { ConflictError } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { TurnEnd } from '../watch/hub.ts';
import type { Failure } from './failure.ts';
import { TurnLog } from './log.ts';
import type { ReadLog } from './read-log.ts';
import { readWholeLog } from './read-log.ts';
import { rebuild } from './rebuild.ts';

/**
 * There are never more writers than this: a log that is still being written after so many looks is not ours to close.
 */
const LOOKS = 10;

/**
 * Closes a turn that this process owns but does not run: its owner died, or its own run failed. What its log shows is
 * stored, followed by the failure, if there is one. Nothing else is consulted, so it does not matter who closes it, or
 * how often that was tried before.
 */
export async function closeTurn(env: Environment, turn: Turn, failure?: Failure): Promise<TurnEnd['status']> {
  const { records } = await endLog(env, turn, failure);
  const [nodes, calls, branch] = await Promise.all([
    env.store.nodesOfTurn(turn.projectId, turn.id),
    env.store.callsOfTurn(turn.projectId, turn.id),
    turn.branchId === null ? null : env.store.getBranch(turn.projectId, turn.branchId),
  ]);
  const lost = await rebuild(env, { turn, branch, records, nodes, calls });
  const next = lost.nodes.at(-1)?.id ?? lost.parentId;
  // A tip that somebody moved in the meantime stays there; the nodes are kept below their parent.
  const follows = branch !== null && branch.tipId !== null && branch.tipId === lost.parentId;
  await env.store.commitTurn({
    projectId: turn.projectId,
    turnId: turn.id,
    owner: env.owner,
    nodes: lost.nodes,
    calls: lost.calls,
    renderings: [],
    ...(follows ? { tip: { branchId: branch.id, expected: branch.tipId, next } } : {}),
    status: lost.status,
  });
  return lost.status;
}

/**
 * Writes the end into the log unless it is there, and returns the whole log. The number of that entry is then taken: an
 * owner that was merely slow cannot write another line, so nothing is shown that the heir did not see.
 */
async function endLog(env: Environment, turn: Turn, failure: Failure | undefined): Promise<ReadLog> {
  for (let look = 1; ; look += 1) {
    const log = await readWholeLog(env, turn);
    if (log.records.some((record) => record.stop !== undefined)) return log;
    const hasFailed =
      failure !== undefined || log.records.some(({ lines }) => lines.some(({ type }) => type === 'error'));
    const last = {
      lines: failure === undefined ? [] : [errorLine(failure)],
      stop: hasFailed ? 'error' : 'interrupted',
    } as const;
    const ending = new TurnLog(env.store, { projectId: turn.projectId, turnId: turn.id }, () => undefined, log.end);
    const ended = {
      ...log,
      records: [...log.records, { ...last, lines: last.lines.map((line) => ({ ...line, seq: log.end.lineSeq + 1 })) }],
    };
    try {
      await ending.write(last);
      await ending.flush();
      return ended;
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.code === 'id_taken';
      if (isTaken && look < LOOKS) continue;
      // Our own run wrote the log and has stopped: the log may be what failed, and needs no end to be complete.
      if (failure !== undefined && !(error instanceof ConflictError)) return ended;
      throw error;
    }
  }
}

function errorLine({ code, message, retryable }: Failure): LineBody & { type: 'error' } {
  return { type: 'error', code, message, retryable };
}
