import type { Turn } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { LogRecord } from './record.ts';
import { readRecord } from './record.ts';

const PAGE = 1_000;

/** The whole log of a turn, and the numbers after which it continues. */
export interface ReadLog {
  readonly records: readonly LogRecord[];
  readonly end: { readonly entrySeq: number; readonly lineSeq: number };
}

export async function readWholeLog({ store }: Pick<Environment, 'store'>, turn: Turn): Promise<ReadLog> {
  const records: LogRecord[] = [];
  let end = { entrySeq: 0, lineSeq: 0 };
  for (;;) {
    const page = await store.readLog(turn.projectId, turn.id, end.entrySeq, PAGE);
    for (const entry of page) {
      const record = readRecord(entry);
      records.push(record);
      end = { entrySeq: entry.seq, lineSeq: record.lines.at(-1)?.seq ?? end.lineSeq };
    }
    if (page.length < PAGE) return { records, end };
  }
}
