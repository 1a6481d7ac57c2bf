import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CachedTurn,
  Call,
  CallId,
  ContentBlock,
  Exchange,
  Issuer,
  MadeWith,
  ProtocolId,
  RawResponse,
  Rendering,
  StreamEvent,
  TreeNode,
} from '@bough/core';
import { ReplyFold } from '@bough/core';
import type { LogEntry } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { Environment } from '../environment.ts';
import { closeTurn } from '../turn/close.ts';
import type { Outcome } from '../turn/end.ts';
import { ended } from '../turn/end.ts';
import { isDeleted, isPassing } from '../turn/failure.ts';
import type { FinishedCall } from '../turn/finish.ts';
import { finishCall } from '../turn/finish.ts';
import { BatchLines } from '../turn/lines.ts';
import { commit, endLines } from '../turn/part.ts';
import type { CallStart } from '../turn/record.ts';
import type { RunningTurn } from '../turn/running.ts';

/** A request that another program makes, before it leaves. */
export interface RecordedCall {
  readonly id: CallId;
  /** Who answers. */
  readonly issuer: Issuer;
  /** What it answers in. */
  readonly api: ProtocolId;
  readonly requestHash: string;
  /** Everything that its client said up to now. */
  readonly trail: string;
  readonly exchange: Exchange;
}

/** How a recorded call ended, besides what was written of it. */
export interface RecordedEnd {
  readonly raw: () => RawResponse;
  readonly providerRequestId: string | null;
  /** As it is known with the reply; asked right before that is stored. Absent: as it began. */
  readonly exchange?: ((reply: HeardReply) => Exchange) | undefined;
  /** Of a request that Bough made itself: what it stores for its own requests too. */
  readonly made?:
    | {
        readonly madeWith: MadeWith;
        readonly renderings: readonly Rendering[];
        readonly cachedTurns: readonly CachedTurn[];
      }
    | undefined;
}

/** A reply as it was heard. */
export interface HeardReply {
  /** Read from what was kept when somebody asks. */
  readonly raw: () => RawResponse;
  readonly blocks: readonly ContentBlock[];
}

/** What became of a recorded call. */
export interface RecordedReply {
  readonly call: Call;
  /** The reply, if anything came. */
  readonly node: TreeNode | null;
}

/** A turn that is recorded while another program holds it. */
export interface RecordedTurn {
  readonly turn: RunningTurn['turn'];
  readonly branch: RunningTurn['branch'];
  /** What is answered. */
  readonly tip: RunningTurn['tip'];
  /** Aborted when somebody stops the turn, or the server stops: then it has to be ended. */
  readonly signal: AbortSignal;
  /**
   * What arrived: the provider's text and what it means. Resolves once it is durable. Rejects if the store failed; more
   * can be written all the same, and is stored at the end if the store is back.
   */
  readonly write: (text: string, events: readonly StreamEvent[]) => Promise<void>;
  /** The call is over, but not the turn: its answer counts for nothing, and the same is asked in another way. */
  readonly next: (
    call: RecordedCall,
    renderings: readonly Rendering[],
    errorCode: string,
    end: RecordedEnd,
  ) => Promise<void>;
  /** Resolves once everything is stored. The events that were written end with a stop. */
  readonly end: (end: RecordedEnd) => Promise<RecordedReply>;
}

/** How long to wait before the end of a turn is stored again. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];

export class Recording implements RecordedTurn {
  readonly #env: Environment;
  readonly #running: RunningTurn;
  readonly #over: (outcome: Outcome) => void;
  #start: CallStart;
  #fold = new ReplyFold();
  #lines = new BatchLines();
  #opened: Promise<void>;
  #failure: { readonly error: unknown } | null = null;
  #firstByteAt: string | null = null;
  #thoughtSince: number | null = null;
  #reasoningMs: number | null = null;
  #ending: Promise<RecordedReply> | null = null;

  constructor(env: Environment, running: RunningTurn, call: RecordedCall, over: (outcome: Outcome) => void) {
    this.#env = env;
    this.#running = running;
    this.#over = over;
    this.#start = this.#startOf(call);
    this.#opened = this.#open();
  }

  get turn(): RunningTurn['turn'] {
    return this.#running.turn;
  }

  get branch(): RunningTurn['branch'] {
    return this.#running.branch;
  }

  get tip(): RunningTurn['tip'] {
    return this.#start.parentId;
  }

  get signal(): AbortSignal {
    return this.#running.abort.signal;
  }

  async write(text: string, events: readonly StreamEvent[]): Promise<void> {
    if (this.#ending !== null) return;
    const { now } = this.#env;
    if (text !== '') this.#firstByteAt ??= now().toISOString();
    if (events.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')) {
      const at = now().getTime();
      this.#thoughtSince ??= at;
      this.#reasoningMs = at - this.#thoughtSince;
    }
    for (const event of events) this.#fold.push(event);
    const lines = this.#lines.write(events);
    if (text === '' && lines.length === 0) return;
    // The log keeps its order by itself: what is stored beside it need not be waited for first.
    await this.#logged(async (log) => {
      await log.write({ lines, text });
      await Promise.all([this.#opened, log.flush()]);
    });
  }

  async next(call: RecordedCall, renderings: readonly Rendering[], errorCode: string, end: RecordedEnd): Promise<void> {
    const { call: ended } = this.#finished(end);
    const refused = { ...ended, nodeId: null, errorCode };
    await Promise.all([this.#opened, this.#running.log.flush()]);
    await commit(this.#env, this.#running, { nodes: [], calls: [{ call: refused, raw: null }], renderings });
    this.#env.observe({ type: 'call_ended', call: refused });
    this.#start = this.#startOf(call);
    this.#fold = new ReplyFold();
    this.#lines = new BatchLines();
    this.#firstByteAt = null;
    this.#thoughtSince = null;
    this.#reasoningMs = null;
    this.#opened = this.#open();
    await this.#opened;
  }

  end(end: RecordedEnd): Promise<RecordedReply> {
    this.#ending ??= this.#end(end);
    return this.#ending;
  }

  #startOf({ id, issuer, api, requestHash, trail, exchange }: RecordedCall): CallStart {
    const { price, reasoning } = this.#env.providers.get(issuer.provider).modelInfo(issuer.model);
    return {
      callId: id,
      nodeId: this.#env.ids.node(),
      parentId: this.#running.tip,
      issuer,
      api,
      requestHash,
      startedAt: this.#env.now().toISOString(),
      madeWith: null,
      reasoning,
      ...(price === undefined ? {} : { price }),
      trail,
      exchange,
    };
  }

  /**
   * Another server that finds the turn without its owner knows from this how to fold the rest. A failure is met by the
   * first write, and by the end.
   */
  #open(): Promise<void> {
    const { nodeId, issuer } = this.#start;
    const opened = this.#logged(async (log) => {
      await log.write({ lines: [{ type: 'node', nodeId, model: issuer.model }], call: this.#start });
      await log.stored();
    });
    opened.catch(() => undefined);
    return opened;
  }

  async #logged(write: (log: RunningTurn['log']) => Promise<void>): Promise<void> {
    if (this.#running.isLost) throw new ConflictError('not_owner', 'Another server has closed this turn.');
    if (this.#failure !== null) throw this.#failure.error;
    try {
      await write(this.#running.log);
    } catch (error) {
      if (this.#failure === null) this.#problem('the log of a recorded turn', error);
      this.#failure ??= { error };
      throw error;
    }
  }

  #finished(end: RecordedEnd): FinishedCall {
    const { turn, branch, isStopped } = this.#running;
    return finishCall(this.#env, {
      turn,
      branchId: branch.id,
      start: {
        ...this.#start,
        ...(end.made === undefined ? {} : { madeWith: end.made.madeWith }),
      },
      folded: this.#fold.result(),
      raw: end.raw,
      firstByteAt: this.#firstByteAt,
      reasoningMs: this.#reasoningMs,
      isStopped,
      providerRequestId: end.providerRequestId,
    });
  }

  /** The first try is waited for; a store that is away is tried again behind the client's back. */
  async #end(end: RecordedEnd): Promise<RecordedReply> {
    const folded = this.#fold.result();
    const made = this.#finished(end);
    const { blocks } = folded;
    const stop = made.status === 'complete' ? (folded.stop ?? 'unknown') : made.status;
    this.#env.observe({ type: 'call_ended', call: made.call });
    let last: readonly LogEntry[] = [];
    let { call } = made;
    let isLogged = false;
    try {
      isLogged = await this.#running.log.end({ lines: endLines(made, folded), stop }, async (entries) => {
        last = entries;
        call = await this.#store(made, end, blocks, last);
      });
    } catch (error) {
      this.#problem('storing a recorded turn', error);
      void this.#storeLater(made, end, blocks, last, error);
      throw error;
    }
    this.#over(this.#isOver(made, isLogged));
    return { call, node: made.nodes.find(({ id }) => id === this.#start.nodeId) ?? null };
  }

  /** Watchers of a log that does not end read the rest from the stored turn. */
  #isOver({ status }: FinishedCall, isLogged: boolean): Outcome {
    return ended(this.#env, this.#running, status, isLogged ? this.#running.nodeIds : null);
  }

  async #store(
    made: FinishedCall,
    end: RecordedEnd,
    blocks: readonly ContentBlock[],
    log: readonly LogEntry[],
  ): Promise<Call> {
    const { status, nodes } = made;
    const renderings = end.made?.renderings ?? [];
    const cachedTurns = end.made?.cachedTurns ?? [];
    return this.#running.storing.pass(async () => {
      // Read once for both: a long reply has tens of thousands of events.
      const raw = made.raw();
      const exchange = end.exchange?.({ raw: () => raw ?? end.raw(), blocks });
      const call = exchange === undefined ? made.call : { ...made.call, exchange };
      const calls = [{ call, raw }];
      try {
        await commit(this.#env, this.#running, { nodes, calls, renderings, cachedTurns, log, status });
      } catch (error) {
        if (!(error instanceof ConflictError && error.code === 'tip_moved')) throw error;
        // Somebody moved the branch: its tip stays there, and the reply is kept where it belongs.
        const { turn } = this.#running;
        const part = { projectId: turn.projectId, turnId: turn.id, owner: this.#env.owner };
        await this.#env.store.commitTurn({ ...part, nodes, calls, renderings, cachedTurns, log, status });
      }
      return call;
    });
  }

  async #storeLater(
    made: FinishedCall,
    end: RecordedEnd,
    blocks: readonly ContentBlock[],
    log: readonly LogEntry[],
    first: unknown,
  ): Promise<void> {
    let last = first;
    const { signal } = this;
    for (const pause of PAUSES_MS) {
      if (!isPassing(last) || this.#running.isLost) break;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      try {
        await this.#store(made, end, blocks, log);
        this.#over(this.#isOver(made, false));
        return;
      } catch (error) {
        last = error;
      }
    }
    this.#over(await this.#close(last));
  }

  /** What the log shows is stored, as if this server had died. */
  async #close(error: unknown): Promise<Outcome> {
    const failed = (code: string, message: string): Outcome => ({
      type: 'failed',
      line: { type: 'error', code, message, retryable: false, seq: this.#running.log.lineSeq + 1 },
    });
    if (isDeleted(error)) return failed('deleted', 'This conversation was deleted.');
    if (this.#running.isLost || (error instanceof ConflictError && error.code === 'not_owner'))
      return { type: 'progress' };
    try {
      return ended(this.#env, this.#running, await closeTurn(this.#env, this.#running.turn), null);
    } catch (second) {
      this.#problem('closing a recorded turn', second);
      return failed('store_unreachable', 'What came last could not be stored.');
    }
  }

  #problem(what: string, error: unknown): void {
    this.#env.observe({
      type: 'problem',
      what,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}
