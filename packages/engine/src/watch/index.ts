import type { LineBody, ProjectId, StopReason, StreamLine, Turn, TurnId } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { LogRecord } from '../turn/log.ts';
import { readRecord } from '../turn/log.ts';
import type { Hub } from './hub.ts';
import { Inbox } from './inbox.ts';
import { linesOfNodes } from './stored.ts';

const PAGE = 200;
/** How long to wait for news before looking into the log anyway: a signal may be lost, a line may not. */
const LOOK_AGAIN_MS = 1_000;
/** How often to say that somebody watches a turn that another server runs. */
const WATCHING_MS = 5_000;

/**
 * The lines of a turn after `after`, each once and in order, from any server; ends after `done`. Reads the log first and then follows; a
 * watcher that falls behind goes back to the log, so that nothing is held for it in memory.
 */
export async function* watchTurn(
  env: Environment,
  hub: Hub,
  turn: { readonly projectId: ProjectId; readonly turnId: TurnId },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamLine, void> {
  const { projectId, turnId } = turn;
  await env.store.getTurn(projectId, turnId);
  const inbox = new Inbox();
  const leave = hub.watch(turnId, inbox.put);
  let entrySeq = 0;
  let seen = after;
  let stop: StopReason | undefined;
  let announced = Number.NEGATIVE_INFINITY;
  const take = (record: Pick<LogRecord, 'lines' | 'stop'>): readonly StreamLine[] => {
    stop = record.stop ?? stop;
    const fresh = record.lines.filter((line) => line.seq > seen);
    seen = fresh.at(-1)?.seq ?? seen;
    return fresh;
  };
  try {
    while (!signal.aborted) {
      const entries = await env.store.readLog(projectId, turnId, entrySeq, PAGE);
      for (const entry of entries) {
        entrySeq = entry.seq;
        yield* take(readRecord(entry));
      }
      if (entries.length === PAGE) continue;
      if (entries.length === 0 || stop !== undefined) {
        const stored = await env.store.getTurn(projectId, turnId);
        if (hasEnded(stored)) {
          yield* ending(env, stored, seen, stop);
          return;
        }
      }
      // Follows what this process publishes, as long as nothing is missing in between.
      for (;;) {
        if (env.now().getTime() - announced >= WATCHING_MS) {
          announced = env.now().getTime();
          await env.store.publish({ type: 'watching', projectId, turnId });
        }
        const news = await inbox.take(LOOK_AGAIN_MS, signal);
        if (news?.type !== 'entry' || news.entry.entrySeq > entrySeq + 1) break;
        if (news.entry.entrySeq <= entrySeq) continue;
        entrySeq = news.entry.entrySeq;
        yield* take(news.entry);
      }
    }
  } finally {
    leave();
  }
}

export function hasEnded(turn: Turn): turn is Turn & { readonly status: 'complete' | 'error' | 'interrupted' } {
  return turn.status !== 'running' && turn.status !== 'awaiting_approval';
}

/**
 * The end of a turn whose log is gone. Who saw nothing of it gets the whole reply as it is stored; who saw a part gets the end alone and reads the
 * rest from the history.
 */
async function* ending(
  env: Environment,
  turn: Turn,
  seen: number,
  stop: StopReason | undefined,
): AsyncGenerator<StreamLine, void> {
  const nodes = await env.store.nodesOfTurn(turn.projectId, turn.id);
  let seq = seen;
  const bodies: readonly LineBody[] = seen === 0 ? linesOfNodes(turn, nodes) : [];
  for (const body of bodies) yield { ...body, seq: (seq += 1) };
  yield { type: 'done', ...endOf(turn, stop), nodeIds: nodes.map((node) => node.id), seq: seq + 1 };
}

function endOf(
  turn: Turn,
  stop: StopReason | undefined,
): Pick<Extract<LineBody, { type: 'done' }>, 'status' | 'stopReason'> {
  switch (turn.status) {
    case 'complete':
      return { status: 'complete', stopReason: stop ?? 'end_turn' };
    case 'error':
      return { status: 'error', stopReason: 'error' };
    default:
      return { status: 'interrupted', stopReason: 'interrupted' };
  }
}
