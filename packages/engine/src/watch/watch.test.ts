import type { Branch, StreamLine, Turn } from '@bough/core';
import { branchId, nodeId, projectId, turnId } from '@bough/core';
import type { LogEntry } from '@bough/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hub } from './hub.ts';
import { watchTurn } from './index.ts';

const ids = { projectId: projectId('p'), turnId: turnId('t') };
const turn: Turn = {
  id: ids.turnId,
  projectId: ids.projectId,
  branchId: null,
  isThinkingMode: true,
  status: 'running',
  createdAt: '2026-01-01T00:00:00.000Z',
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A watcher from the first entry on, and how often it read the store. */
function watch(publishedHere: () => number | null) {
  const hub = new Hub();
  const leave = new AbortController();
  const looked = { times: 0 };
  const look = <Found>(found: Found) => {
    looked.times += 1;
    return Promise.resolve(found);
  };
  const lines: StreamLine[] = [];
  const store = {
    readLog: () => look([]),
    getTurn: () => look(turn),
    nodesOfTurn: () => look([]),
    listBranches: () => look([]),
    publish: () => Promise.resolve(),
  };
  const done = (async () => {
    const watched = { ...ids, hub, publishedHere };
    for await (const some of watchTurn({ store, now: () => new Date() }, watched, 0, leave.signal)) lines.push(...some);
  })();
  return { hub, leave, looked, lines, done };
}

const text = (seq: number): StreamLine => ({ type: 'text', content: 'a', seq });

describe('watchTurn', () => {
  it('EN-10: what was logged between a look into the log and a look at the ended turn is told before the end', async () => {
    const log: LogEntry[] = [];
    const store = {
      readLog: async (_: unknown, __: unknown, after: number, limit: number) => log.slice(after, after + limit),
      getTurn: async () => {
        if (log.length === 0) log.push({ seq: 1, data: JSON.stringify({ lines: [text(1)] }) });
        return { ...turn, status: 'complete' as const };
      },
      nodesOfTurn: () => Promise.resolve([]),
      listBranches: () => Promise.resolve([]),
      publish: () => Promise.resolve(),
    };
    const watched = { ...ids, hub: new Hub(), publishedHere: () => null };
    const seen: StreamLine[] = [];
    const { signal } = new AbortController();
    for await (const some of watchTurn({ store, now: () => new Date() }, watched, 0, signal)) seen.push(...some);
    expect(seen).toEqual([text(1), expect.objectContaining({ type: 'done', seq: 2 })]);
  });

  it('EN-10: a turn whose log is gone is told with the name of its branch, as it was while it ran', async () => {
    const ended: Turn = { ...turn, branchId: branchId('b'), status: 'complete' };
    const store = {
      readLog: () => Promise.resolve([]),
      getTurn: () => Promise.resolve(ended),
      nodesOfTurn: () => Promise.resolve([]),
      listBranches: () =>
        Promise.resolve([
          { id: branchId('a'), name: 'main' },
          { id: branchId('b'), name: 'why' },
        ] as Branch[]),
      publish: () => Promise.resolve(),
    };
    const watched = { ...ids, hub: new Hub(), publishedHere: () => null };
    const seen: StreamLine[] = [];
    const { signal } = new AbortController();
    for await (const some of watchTurn({ store, now: () => new Date() }, watched, 0, signal)) seen.push(...some);
    expect(seen[0]).toMatchObject({ type: 'turn', branch: 'why', seq: 1 });
  });

  it('LN-3: who has fallen behind reads many short entries at once and few long ones', async () => {
    const asked: number[] = [];
    const entry = (seq: number, size: number): LogEntry => ({
      seq,
      data: JSON.stringify({ lines: [{ type: 'text', content: 'x'.repeat(size), seq }] }),
    });
    const log = Array.from({ length: 1_200 }, (_, at) => entry(at + 1, at < 1_000 ? 1 : 100_000));
    const store = {
      readLog: async (_: unknown, __: unknown, after: number, limit: number) => {
        asked.push(limit);
        return log.slice(after, after + limit);
      },
      getTurn: () => Promise.resolve({ ...turn, status: 'complete' as const }),
      nodesOfTurn: () => Promise.resolve([]),
      listBranches: () => Promise.resolve([]),
      publish: () => Promise.resolve(),
    };
    const watched = { ...ids, hub: new Hub(), publishedHere: () => null };
    const seen: number[] = [];
    const signal = new AbortController().signal;
    for await (const some of watchTurn({ store, now: () => new Date() }, watched, 0, signal))
      seen.push(...some.map(({ seq }) => seq));
    expect(seen).toEqual(Array.from({ length: 1_201 }, (_, at) => at + 1));
    expect(Math.max(...asked)).toBe(256);
    expect(asked.slice(-20).every((limit) => limit <= 8)).toBe(true);
  });

  it('LN-5: a silent model of the same process is no reason to read; its end is told without reading', async () => {
    let published = 0;
    const { hub, looked, lines, done } = watch(() => published);
    published = 1;
    hub.tell(ids.turnId, { type: 'entry', entry: { turnId: ids.turnId, entrySeq: 1, size: 40, lines: [text(1)] } });
    await vi.advanceTimersByTimeAsync(10_000);
    published = 2;
    const last = { turnId: ids.turnId, entrySeq: 2, size: 40, lines: [text(2)], stop: 'end_turn' as const };
    hub.tell(ids.turnId, { type: 'entry', entry: last });
    hub.tell(ids.turnId, { type: 'ended', end: { status: 'complete', nodeIds: [nodeId('n')] } });
    await done;
    expect(looked.times).toBe(0);
    expect(lines).toEqual([
      text(1),
      text(2),
      { type: 'done', status: 'complete', stopReason: 'end_turn', nodeIds: ['n'], seq: 3 },
    ]);
  });

  it('LN-5: an entry that was published and not told is read', async () => {
    const { leave, looked, done } = watch(() => 1);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(looked.times).toBeGreaterThanOrEqual(2);
    leave.abort();
    await done;
  });

  it('LN-5: a turn of another process is looked at every second', async () => {
    const { leave, looked, done } = watch(() => null);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(looked.times).toBeGreaterThanOrEqual(6);
    leave.abort();
    await done;
  });

  it('LN-5: who leaves while nothing happens leaves at once', async () => {
    const { leave, done } = watch(() => 0);
    await vi.advanceTimersByTimeAsync(500);
    leave.abort();
    await done;
    expect(vi.getTimerCount()).toBe(0);
  });
});
