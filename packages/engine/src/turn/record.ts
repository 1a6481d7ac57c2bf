import type {
  CallId,
  Issuer,
  LineBody,
  MadeWith,
  NodeId,
  ProtocolId,
  RawEvent,
  StopReason,
  StreamLine,
} from '@bough/core';
import type { LogEntry } from '@bough/store';

/** The beginning of a call, as far as another server must know it to fold what came of it. */
export interface CallStart {
  readonly callId: CallId;
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly issuer: Issuer;
  readonly api: ProtocolId;
  readonly requestHash: string;
  readonly startedAt: string;
  readonly madeWith: MadeWith;
}

/** One entry of a running turn's log: what happened, and what clients are shown of it. */
export interface LogRecord {
  readonly lines: readonly StreamLine[];
  readonly call?: CallStart;
  /** The provider's events of the newest call, exactly as they came. */
  readonly raw?: readonly RawEvent[];
  /** Why the turn ends. Written right before its end is stored: what is shown of the end is read from the stored turn. */
  readonly stop?: StopReason;
}

/** A record before its lines are numbered. */
export type NewRecord = Omit<LogRecord, 'lines'> & { readonly lines: readonly LineBody[] };

/**
 * A record as text: one line of JSON, and below it the provider's events as they are, name and data on a line each. As JSON every quotation mark of
 * theirs would be escaped, here and again on the way to the store, which costs more than all the rest of logging them.
 */
export function writeRecord({ raw = [], ...head }: LogRecord): string {
  if (raw.length === 0) return JSON.stringify(head);
  if (!raw.every(fitsOnLines)) return JSON.stringify({ ...head, raw });
  const parts = [JSON.stringify(head)];
  for (const { event, data } of raw) parts.push(event ?? '', data);
  return parts.join('\n');
}

export function readRecord(entry: LogEntry): LogRecord {
  const end = entry.data.indexOf('\n');
  // Written by `writeRecord` alone.
  if (end === -1) return JSON.parse(entry.data) as LogRecord;
  const head = JSON.parse(entry.data.slice(0, end)) as LogRecord;
  const parts = entry.data.slice(end + 1).split('\n');
  const raw: RawEvent[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const event = parts[at] ?? '';
    const data = parts[at + 1] ?? '';
    raw.push(event === '' ? { data } : { event, data });
  }
  return { ...head, raw };
}

/** The data of an event may have several lines, although no provider sends such. */
function fitsOnLines({ event, data }: RawEvent): boolean {
  return !data.includes('\n') && (event === undefined || (event !== '' && !event.includes('\n')));
}
