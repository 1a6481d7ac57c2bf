import type { LineBody, ProjectId, StopReason, StreamLine, Turn, TurnId } from '@bough/core';
import type { Store } from '@bough/store';
import type { Environment } from '../environment.ts';
import { DELETED, isDeleted } from '../turn/failure.ts';
import type { LogRecord } from '../turn/record.ts';
import { readRecord } from '../turn/record.ts';
import type { Hub, TurnEnd } from './hub.ts';
import { Inbox } from './inbox.ts';
import { linesOfNode, linesOfNodes } from './stored.ts';

/**
 * Entries of the log read at once: few of long ones, whose text is held for every slow client, and more of short ones.
 */
const SMALLEST_PAGE = 4;
const LARGEST_PAGE = 256;
/** A page with more characters than this makes the next one smaller. */
const LONG_PAGE = 256 * 1024;
/** How long to wait for news before checking the log anyway: a signal may be lost, a line may not. */
const LOOK_AGAIN_MS = 1_000;
/** How often to announce that somebody watches a turn that another server runs. */
const WATCHING_MS = 5_000;

/** What is watched, and what this process knows of it. */
export interface Watched {
  readonly projectId: ProjectId;
  readonly turnId: TurnId;
  readonly hub: Hub;
  /**
   * How many entries of it this process has published; null where it does not run the turn: then the server that does
   * has to be told that it is watched.
   */
  readonly publishedHere: () => number | null;
}

/** What watching needs from its environment. */
interface Surroundings extends Pick<Environment, 'now'> {
  readonly store: Pick<Store, 'readLog' | 'getTurn' | 'nodesOfTurn' | 'listBranches' | 'publish'>;
}

/**
 * The lines of a turn after `after`, each once and in order, from any server; lines that arrive together are yielded
 * together. Ends after `done`. Reads the log first and then follows; a watcher that falls behind goes back to the log,
 * so that nothing is held for it in memory.
 */
export async function* watchTurn(
  env: Surroundings,
  { projectId, turnId, hub, publishedHere }: Watched,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamLine[], void> {
  const inbox = new Inbox();
  const leave = hub.watch(turnId, inbox.put);
  signal.addEventListener('abort', inbox.close, { once: true });
  let entrySeq = 0;
  let seen = after;
  let stop: StopReason | undefined;
  // Whether an error was shown: one that could not be logged is reconstructed from the reply that it became.
  let hasError = false;
  let announced = Number.NEGATIVE_INFINITY;
  // Whether the log may hold entries that were not delivered. A watcher from the first entry on need not read it at
  // all.
  let isBehind = publishedHere() !== 0;
  let page = SMALLEST_PAGE;
  // The turn has ended, and its log has been read to the end.
  let isOver = false;
  const take = (record: Pick<LogRecord, 'lines' | 'stop'>): readonly StreamLine[] => {
    stop = record.stop ?? stop;
    hasError ||= record.lines.some(({ type }) => type === 'error');
    const fresh = record.lines.filter((line) => line.seq > seen);
    seen = fresh.at(-1)?.seq ?? seen;
    return fresh;
  };
  try {
    while (!signal.aborted) {
      const entries = isBehind ? await env.store.readLog(projectId, turnId, entrySeq, page) : [];
      entrySeq = entries.at(-1)?.seq ?? entrySeq;
      const read = entries.flatMap((entry) => take(readRecord(entry)));
      if (read.length > 0) yield read;
      const isWholePage = entries.length === page;
      const isLong = entries.reduce((sum, { data }) => sum + data.length, 0) > LONG_PAGE;
      page = isLong ? Math.max(SMALLEST_PAGE, page / 4) : Math.min(LARGEST_PAGE, page * 2);
      if (isWholePage || (isOver && entries.length > 0)) continue;
      if ((isBehind && entries.length === 0) || stop !== undefined) {
        const stored = await env.store.getTurn(projectId, turnId);
        if (hasEnded(stored)) {
          // The last lines may have been logged between the two looks, and would never be seen.
          if (!isOver) {
            isOver = true;
            isBehind = true;
            continue;
          }
          yield await ending(env, stored, { seen, stop, hasError: hasError || entrySeq === 0 });
          return;
        }
      }
      // Follows what this process publishes, as long as nothing is missing in between.
      for (;;) {
        if (inbox.isEmpty && publishedHere() === null && env.now().getTime() - announced >= WATCHING_MS) {
          announced = env.now().getTime();
          await env.store.publish({ type: 'watching', projectId, turnId });
        }
        const news = await inbox.take(LOOK_AGAIN_MS);
        // The turn runs here, and everything published was taken: a model that thinks for minutes is no reason to look.
        if (news.length === 0 && !signal.aborted && publishedHere() === entrySeq) continue;
        const lines: StreamLine[] = [];
        let followed = 0;
        for (const told of news) {
          if (told.type !== 'entry' || told.entry.entrySeq > entrySeq + 1) break;
          followed += 1;
          if (told.entry.entrySeq <= entrySeq) continue;
          entrySeq = told.entry.entrySeq;
          lines.push(...take(told.entry));
        }
        if (lines.length > 0) yield lines;
        // The end that follows the stop is taken directly: nothing can come between them.
        const last = news[followed];
        if (last?.type === 'failed') {
          yield [last.line];
          return;
        }
        const isEnd = last?.type === 'ended' && stop !== undefined;
        if (isEnd && last.end !== null && seen > 0) {
          yield [{ ...doneLine(last.end, stop), seq: seen + 1 }];
          return;
        }
        isBehind = !isEnd;
        if (news.length === 0 || followed < news.length) break;
      }
    }
  } catch (error) {
    // A watcher that was never shown anything asked for what does not exist, and is told so.
    if (seen === after || !isDeleted(error)) throw error;
    yield [{ type: 'error', ...DELETED, seq: seen + 1 }];
  } finally {
    signal.removeEventListener('abort', inbox.close);
    leave();
  }
}

export function hasEnded(turn: Turn): turn is Turn & Pick<TurnEnd, 'status'> {
  return turn.status !== 'running' && turn.status !== 'awaiting_approval';
}

/**
 * The end of a turn, read from the store. A watcher that saw nothing of it gets the whole reply as stored; one that saw
 * a part gets the end, with any error that the log does not hold, and reads the rest from the history.
 */
async function ending(
  env: Surroundings,
  turn: Turn & Pick<TurnEnd, 'status'>,
  {
    seen,
    stop,
    hasError,
  }: { readonly seen: number; readonly stop: StopReason | undefined; readonly hasError: boolean },
): Promise<readonly StreamLine[]> {
  const nodes = await env.store.nodesOfTurn(turn.projectId, turn.id);
  const untold = hasError ? [] : nodes.filter((node) => node.isError).flatMap(linesOfNode);
  const bodies: readonly LineBody[] = [
    ...(seen === 0 ? linesOfNodes(turn, await branchName(env, turn), nodes) : untold),
    doneLine({ status: turn.status, nodeIds: nodes.map((node) => node.id) }, stop),
  ];
  return bodies.map((body, at) => ({ ...body, seq: seen + at + 1 }));
}

/** The branch's current name. A deleted branch has none. */
async function branchName({ store }: Surroundings, { projectId, branchId }: Turn): Promise<string> {
  const branches = branchId === null ? [] : await store.listBranches(projectId);
  return branches.find(({ id }) => id === branchId)?.name ?? '';
}

function doneLine({ status, nodeIds }: TurnEnd, stop: StopReason | undefined): LineBody {
  const reasons = { complete: stop ?? 'end_turn', error: 'error', interrupted: 'interrupted' } as const;
  return { type: 'done', status, stopReason: reasons[status], nodeIds };
}
