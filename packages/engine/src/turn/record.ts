import type {
  Availability,
  CallId,
  CallUsage,
  Exchange,
  Issuer,
  LineBody,
  MadeWith,
  NodeId,
  ProtocolId,
  StopReason,
  StreamLine,
} from '@bough/core';
import type { Price } from '@bough/providers';
import type { LogEntry } from '@bough/store';
import type { ReplyLimits } from '../assemble/index.ts';

/** The beginning of a call, as far as another server must know it to fold its outcome. */
export interface CallStart {
  readonly callId: CallId;
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly issuer: Issuer;
  readonly api: ProtocolId;
  readonly requestHash: string;
  readonly startedAt: string;
  /** Null if somebody else made the request: nobody knows what Bough would have sent. */
  readonly madeWith: MadeWith | null;
  /** What its model shows of its reasoning; kept for the same reason as the price. */
  readonly reasoning: Availability;
  /**
   * What it costs, as far as known. Kept here, because the server that closes the turn may no longer have the provider.
   */
  readonly price?: Price;
  /** What the provider's cache can have had of the request. */
  readonly expected?: Pick<CallUsage, 'expectedCachedTokens' | 'expectedAgeMs'>;
  /** Whether the provider was asked what its cache missed. */
  readonly isCompared?: boolean;
  /** What was asked of the turn alone: a server that resumes it must ask for the same. */
  readonly limits?: ReplyLimits;
  /** Of a recorded call: what its client had said, so that the reply is found again wherever it is closed. */
  readonly trail?: string;
  readonly exchange?: Exchange;
}

/** One entry of a running turn's log: what happened, and what clients are shown of it. */
export interface LogRecord {
  readonly lines: readonly StreamLine[];
  readonly call?: CallStart;
  /** What arrived of the newest call's event stream, unchanged. */
  readonly text?: string;
  /**
   * Why the turn ends. Written right before its end is stored: what is shown of the end is read from the stored turn.
   */
  readonly stop?: StopReason;
}

/** A record before its lines are numbered. */
export type NewRecord = Omit<LogRecord, 'lines'> & { readonly lines: readonly LineBody[] };

/**
 * A record as text: one line of JSON, then the provider's stream unchanged. In JSON each of its quotation marks would
 * be escaped, here and again on the way to the store, which costs more than all the rest of logging it.
 */
export function writeRecord({ text = '', ...head }: LogRecord): string {
  return text === '' ? JSON.stringify(head) : `${JSON.stringify(head)}\n${text}`;
}

export function readRecord({ data }: LogEntry): LogRecord {
  const end = data.indexOf('\n');
  // Only `writeRecord` writes these.
  if (end === -1) return JSON.parse(data) as LogRecord;
  return { ...(JSON.parse(data.slice(0, end)) as LogRecord), text: data.slice(end + 1) };
}
