import type { ProjectId, StopReason, StreamLine, TurnId } from '@bough/core';
import type { LogEntry, Store } from '@bough/store';
import type { LineRun } from './lines.ts';
import { newLineRun } from './lines.ts';
import type { CallStart, NewRecord } from './record.ts';
import { writeRecord } from './record.ts';

export interface PublishedEntry {
  readonly turnId: TurnId;
  readonly entrySeq: number;
  readonly lines: readonly StreamLine[];
  readonly stop?: StopReason;
  /** Characters of the entry in the log, which is roughly what its lines take. */
  readonly size: number;
}

/** How many characters of a provider's stream may wait for the store before the turn itself waits. */
const MAX_WAITING = 1_000_000;

/** What waits for the next commit, as one entry. */
interface WaitingEntry {
  readonly run: LineRun;
  readonly call: CallStart | undefined;
  text: string;
  stop: StopReason | undefined;
}

/**
 * Writes a turn's log. Lines are published only once they are durable; what is written while a commit is under way
 * becomes one entry of the next one. A failed write fails the turn: what is not durable is not shown. `failed` is
 * called at once, because a model may be silent, or a tool may work, for minutes before the next write.
 */
export class TurnLog {
  readonly #store: Pick<Store, 'appendLog'>;
  readonly #projectId: ProjectId;
  readonly #turnId: TurnId;
  readonly #publish: (entry: PublishedEntry) => void;
  readonly #failed: () => void;
  #published: number;
  #entrySeq: number;
  #lineSeq: number;
  #waiting: WaitingEntry[] = [];
  #waitingCharacters = 0;
  #writing: Promise<void> | null = null;
  /** What waits is stored by `end`. */
  #isEnding = false;
  #failure: unknown = null;
  /** How long the first entries may wait for more, and what ends that wait. */
  #lingerMs: number;
  #hurry: () => void = () => undefined;

  constructor(
    store: Pick<Store, 'appendLog'>,
    turn: { readonly projectId: ProjectId; readonly turnId: TurnId },
    publish: (entry: PublishedEntry) => void,
    from: { readonly entrySeq: number; readonly lineSeq: number } = { entrySeq: 0, lineSeq: 0 },
    failed: () => void = () => undefined,
    lingerMs = 0,
  ) {
    this.#store = store;
    this.#projectId = turn.projectId;
    this.#turnId = turn.turnId;
    this.#publish = publish;
    this.#failed = failed;
    this.#lingerMs = lingerMs;
    this.#published = from.entrySeq;
    this.#entrySeq = from.entrySeq;
    this.#lineSeq = from.lineSeq;
  }

  /** The number of the newest published entry. */
  get published(): number {
    return this.#published;
  }

  /** The number of the newest line written, whether or not that succeeded. */
  get lineSeq(): number {
    return this.#lineSeq;
  }

  /** Resolves at once unless too much is waiting: a slow store slows down its turn instead of filling the memory. */
  async write(record: NewRecord): Promise<void> {
    this.#throwFailure();
    this.#add(record);
    this.#writing ??= this.#drain();
    if (this.#waitingCharacters > MAX_WAITING) await this.#writing;
    this.#throwFailure();
  }

  /**
   * The last record. `store` stores what waits and this, together with whatever ends the turn: each commit costs more
   * than what it carries. False if the log could not be written: then nothing of it is left to store.
   */
  async end(record: NewRecord, store: (entries: readonly LogEntry[]) => Promise<void>): Promise<boolean> {
    this.#add(record);
    this.#isEnding = true;
    this.#lingerMs = 0;
    this.#hurry();
    const ending = this.#finish(this.#writing, store);
    // Whoever waits for what was written waits for this, and meets its failure as that of any write.
    this.#writing = ending.catch(() => undefined);
    await ending;
    return this.#failure === null;
  }

  async #finish(writing: Promise<void> | null, store: (entries: readonly LogEntry[]) => Promise<void>): Promise<void> {
    try {
      await writing;
      const sealed = this.#failure === null ? this.#waiting.map((draft) => this.#seal(draft)) : [];
      await store(sealed.map(({ entry }) => entry));
      for (const { published } of sealed) this.#told(published);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    } finally {
      this.#waiting = [];
      this.#waitingCharacters = 0;
      this.#writing = null;
    }
  }

  /** Resolves when everything written is durable and published, as soon as possible. */
  async flush(): Promise<void> {
    this.#lingerMs = 0;
    this.#hurry();
    await this.stored();
  }

  /** Resolves when everything written is durable and published; what may wait for more, waits. */
  async stored(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  /** Resolves when nothing is being written any more, successfully or not. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  #add(record: NewRecord): void {
    const draft = this.#draftFor(record);
    for (const line of record.lines) draft.run.add(line);
    draft.text += record.text ?? '';
    this.#waitingCharacters += record.text?.length ?? 0;
    draft.stop = record.stop ?? draft.stop;
  }

  /**
   * A call begins an entry of its own: the events of an entry belong to the newest call, and must not be attributed to
   * the one before.
   */
  #draftFor({ call }: NewRecord): WaitingEntry {
    const last = this.#waiting.at(-1);
    if (last !== undefined && call === undefined) return last;
    const draft: WaitingEntry = { run: newLineRun(), call, text: '', stop: undefined };
    this.#waiting.push(draft);
    return draft;
  }

  async #drain(): Promise<void> {
    try {
      // Not before the caller has stored this promise: a store that fails at once would leave it there for ever.
      await Promise.resolve();
      if (this.#lingerMs > 0) await this.#linger();
      while (this.#waiting.length > 0 && !this.#isEnding) {
        const drafts = this.#waiting;
        this.#waiting = [];
        this.#waitingCharacters = 0;
        const sealed = drafts.map((draft) => this.#seal(draft));
        await this.#store.appendLog(
          this.#projectId,
          this.#turnId,
          sealed.map(({ entry }) => entry),
        );
        for (const { published } of sealed) this.#told(published);
      }
    } catch (error) {
      // Kept for the turn, which meets it at its next write; thrown here, nobody would catch it.
      this.#failure = error;
      this.#failed();
      this.#waiting = [];
      this.#waitingCharacters = 0;
    } finally {
      if (!this.#isEnding) this.#writing = null;
    }
  }

  #told(entry: PublishedEntry): void {
    this.#published = entry.entrySeq;
    this.#publish(entry);
  }

  async #linger(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#lingerMs);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#lingerMs = 0;
  }

  #seal({ run, call, text, stop }: WaitingEntry): { readonly entry: LogEntry; readonly published: PublishedEntry } {
    this.#entrySeq += 1;
    const lines = run.list().map((line): StreamLine => ({ ...line, seq: (this.#lineSeq += 1) }));
    const head = { lines, ...(call === undefined ? {} : { call }), ...(stop === undefined ? {} : { stop }) };
    const data = writeRecord({ ...head, text });
    return {
      entry: { seq: this.#entrySeq, data },
      published: {
        turnId: this.#turnId,
        entrySeq: this.#entrySeq,
        lines,
        size: data.length,
        ...(stop === undefined ? {} : { stop }),
      },
    };
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}
