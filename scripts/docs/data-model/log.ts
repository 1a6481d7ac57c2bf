import type { StreamEvent, StreamLine } from '@bough/core';
import { branchId, LineWriter, projectId, turnId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { readRecord } from '../../../packages/engine/src/turn/log.ts';
import type { LogRecord } from '../../../packages/engine/src/turn/log.ts';
import { readable } from '../readable.ts';
import { inDirectory, stream } from './layouts.ts';

const EVENTS: readonly Extract<StreamEvent, { type: 'thinking' }>[] = [
  { type: 'thinking', index: 0, text: 'I have ' },
  { type: 'thinking', index: 0, text: 'no clock.' },
];

/** An entry of the log of a running turn, as a store gives it back. */
export function logExample(records: readonly ProjectRecord[]): Promise<string> {
  return inDirectory(async (directory) => {
    const store = await openFilesStore({ directory });
    try {
      await store.importProject(stream(records));
      const [project, turn] = [projectId('p1'), turnId('t2')];
      const createdAt = '2026-11-15T12:01:00.000Z';
      await store.beginTurn({
        turn: {
          id: turn,
          projectId: project,
          branchId: branchId('b1'),
          isThinkingMode: true,
          status: 'running',
          createdAt,
        },
        owner: 'server-1',
        leaseMs: 15_000,
        nodes: [],
      });
      await store.appendLog(project, turn, [{ seq: 1, data: JSON.stringify(record()) }]);
      const [entry] = await store.readLog(project, turn, 0, 10);
      if (entry === undefined) throw new Error('The log is empty.');
      return readable({ seq: entry.seq, data: readRecord(entry) });
    } finally {
      await store.close();
    }
  });
}

function record(): LogRecord {
  const writer = new LineWriter();
  const lines = EVENTS.flatMap((event) => writer.write(event) ?? []).map((line, at): StreamLine => ({
    ...line,
    seq: at + 1,
  }));
  const raw = EVENTS.map(({ type, text }) => ({
    event: 'content_block_delta',
    data: JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: `${type}_delta`, thinking: text } }),
  }));
  return { lines, raw };
}
