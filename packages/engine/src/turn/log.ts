import type {
  Issuer,
  LineBody,
  MadeWith,
  NodeId,
  ProjectId,
  RawEvent,
  StopReason,
  StreamLine,
  TurnId,
  CallId,
  ProtocolId,
} from '@bough/core';
import type { LogEntry, Store } from '@bough/store';

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

export function readRecord(entry: LogEntry): LogRecord {
  // Written by `TurnLog` alone.
  return JSON.parse(entry.data) as LogRecord;
}

/** A record before its lines are numbered. */
export type NewRecord = Omit<LogRecord, 'lines'> & { readonly lines: readonly LineBody[] };

export interface PublishedEntry {
  readonly turnId: TurnId;
  readonly entrySeq: number;
  readonly lines: readonly StreamLine[];
  readonly stop?: StopReason;
}

/** Entries that may wait for the store before the turn waits for them. */
const MAX_WAITING = 512;

/**
 * Writes a turn's log. Lines are published only once they are durable; what is written while a commit is under way goes into
 * the next one. A failed write fails the turn: what is not durable is not shown.
 */
export class TurnLog {
  readonly #store: Pick<Store, 'appendLog'>;
  readonly #projectId: ProjectId;
  readonly #turnId: TurnId;
  readonly #publish: (entry: PublishedEntry) => void;
  #entrySeq: number;
  #lineSeq: number;
  #waiting: LogEntry[] = [];
  #waitingLines: PublishedEntry[] = [];
  #writing: Promise<void> | null = null;
  #failure: unknown = null;

  constructor(
    store: Pick<Store, 'appendLog'>,
    turn: { readonly projectId: ProjectId; readonly turnId: TurnId },
    publish: (entry: PublishedEntry) => void,
    from: { readonly entrySeq: number; readonly lineSeq: number } = { entrySeq: 0, lineSeq: 0 },
  ) {
    this.#store = store;
    this.#projectId = turn.projectId;
    this.#turnId = turn.turnId;
    this.#publish = publish;
    this.#entrySeq = from.entrySeq;
    this.#lineSeq = from.lineSeq;
  }

  /** Resolves at once unless too much is waiting: a slow store slows its turn down instead of filling the memory. */
  async write(record: NewRecord): Promise<void> {
    this.#entrySeq += 1;
    const lines = record.lines.map((line): StreamLine => ({ ...line, seq: (this.#lineSeq += 1) }));
    this.#waiting.push({ seq: this.#entrySeq, data: JSON.stringify({ ...record, lines }) });
    this.#waitingLines.push({
      turnId: this.#turnId,
      entrySeq: this.#entrySeq,
      lines,
      ...(record.stop === undefined ? {} : { stop: record.stop }),
    });
    this.#writing ??= this.#drain();
    if (this.#waiting.length > MAX_WAITING) await this.#writing;
    this.#throwFailure();
  }

  /** Everything that was written is durable and published. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    this.#throwFailure();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const entries = this.#waiting;
        const published = this.#waitingLines;
        this.#waiting = [];
        this.#waitingLines = [];
        await this.#store.appendLog(this.#projectId, this.#turnId, entries);
        for (const entry of published) this.#publish(entry);
      }
    } catch (error) {
      // Kept for the turn, which is told at its next write; thrown here it would be nobody's.
      this.#failure = error;
      this.#waiting = [];
      this.#waitingLines = [];
    } finally {
      this.#writing = null;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}
