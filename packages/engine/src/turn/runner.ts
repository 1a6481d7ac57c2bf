import { setTimeout as sleep } from 'node:timers/promises';
import type { Branch, NodeId, ProjectId, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { StoreSignal } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { ReplyLimits } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import { Hub } from '../watch/hub.ts';
import { LeaseLength } from './lease.ts';
import type { PublishedEntry } from './log.ts';
import { TurnLog } from './log.ts';
import type { Outcome } from './end.ts';
import type { Resumption } from './run.ts';
import { runTurn } from './run.ts';
import type { RunningTurn } from './running.ts';
import { TakeOver } from './take-over.ts';
import { Turnstile } from './turnstile.ts';

/** How long a finished turn's log is kept for clients that are still reading it. */
const LOG_KEPT_MS = 30_000;
/** How long a server that announced that it shows a turn is told of its progress. */
const WATCHED_MS = 12_000;
/**
 * How long the others wait to hear that a turn began or ended: what begins and ends meanwhile is told with it. Whatever
 * is told wakes the database and every server.
 */
const TOLD_AFTER_MS = 25;
/** Sixty-four replies of 18,000 deltas that ended together took a process from 767 to 1,051 MB. */
const STORED_AT_ONCE = 8;

export interface TurnStart {
  readonly turn: Turn;
  readonly branch: Branch;
  readonly toolChoice: 'auto' | 'none';
  readonly limits?: ReplyLimits | undefined;
  readonly tip: NodeId;
  /** The nodes that began the turn; absent where it resumes. */
  readonly nodeIds?: readonly NodeId[];
  readonly calls?: number;
  readonly from?: { readonly entrySeq: number; readonly lineSeq: number };
  readonly resume?: Resumption;
}

/** A turn whose calls another program makes: this process only writes down what it hears. */
export interface RecordedStart extends Pick<TurnStart, 'turn' | 'branch' | 'tip' | 'nodeIds'> {
  /** Null where the turn goes on with the results of tools. */
  readonly userNodeId: NodeId | null;
}

/**
 * How long the beginning of a recorded call waits for the first words of its reply, to be stored together with them.
 * Nothing of the reply is shown before that; a provider that thinks for longer finds it stored.
 */
const LINGER_MS = 20;

/**
 * Owns the turns that this process runs: their leases, their interruption, their end. Every promise that it starts is
 * awaited in `stop`.
 */
export class TurnRunner {
  readonly hub = new Hub();
  readonly #env: Environment;
  readonly #onEnd: (turn: Turn) => void;
  readonly #running = new Map<TurnId, { readonly running: RunningTurn; readonly done: Promise<void> }>();
  readonly #watchedUntil = new Map<TurnId, number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #takeOver: TakeOver;
  readonly #storing = new Turnstile(STORED_AT_ONCE);
  readonly #lease: LeaseLength;
  #unsubscribe: (() => void) | null = null;
  #heartbeat: ReturnType<typeof setInterval> | null = null;
  #renewing: Promise<void> | null = null;
  #looking: Promise<void> = Promise.resolve();
  #stopping = false;
  #changed = new Map<TurnId, Turn>();
  /** Tells of what changed until it begins. */
  #gathering: Promise<void> | null = null;
  readonly #telling = new Set<Promise<void>>();
  #dropping: Promise<void> = Promise.resolve();

  /** `onEnd` is told of every turn that ended here. */
  constructor(env: Environment, onEnd: (turn: Turn) => void = () => undefined) {
    this.#env = env;
    this.#onEnd = onEnd;
    this.#lease = new LeaseLength(env.limits);
    this.#takeOver = new TakeOver(env, async (turn, withLog) => {
      this.hub.tell(turn.id, { type: 'ended', end: null });
      if (withLog) this.#dropLogLater(turn.projectId, turn.id);
      await this.tell({ type: 'changed', projectId: turn.projectId, turnId: turn.id });
    });
  }

  get size(): number {
    return this.#running.size;
  }

  /** How long a lease to ask for at the moment. */
  get leaseMs(): number {
    return this.#lease.current;
  }

  /** How many entries of the turn's log are durable and published; null where another process runs it, or nobody. */
  published(turn: TurnId): number | null {
    return this.#running.get(turn)?.running.log.published ?? null;
  }

  /** Listens to the other servers, keeps leases alive, and closes the turns of those that died. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#env.store.subscribe((signal) => this.#hear(signal));
    await this.#lookForAbandoned();
    this.#heartbeat = setInterval(() => {
      this.#takeOver.beat();
      // Independent of each other: closing the turns of a dead server takes time, in which our own must not be taken
      // for dead.
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = null));
      if (!this.#stopping) this.#looking = this.#lookForAbandoned();
    }, this.#env.limits.heartbeatMs);
  }

  run(start: TurnStart): void {
    const running = this.#prepare(start, false);
    const { resume } = start;
    const userNodeId = resume === undefined ? start.tip : undefined;
    this.#lead(running, userNodeId, () => runTurn(this.#env, running, resume));
  }

  /**
   * A turn that lasts until `over` resolves. A log that cannot be written does not stop it: whoever listens to the
   * provider through Bough goes on listening, and what was missed is stored at its end if the store is back by then.
   */
  record(start: RecordedStart, over: Promise<Outcome>): RunningTurn {
    const running = this.#prepare({ ...start, toolChoice: 'none' }, true);
    this.#lead(running, start.userNodeId, () => over);
    return running;
  }

  /** True where this process runs the turn and has begun to stop it. */
  interrupt(turn: TurnId): boolean {
    const found = this.#running.get(turn);
    if (found === undefined) return false;
    found.running.isStopped = true;
    found.running.abort.abort();
    return true;
  }

  /**
   * Stops a turn that runs elsewhere. One that nobody runs is closed here and now, if its owner is known to be gone.
   */
  async interruptElsewhere(turn: Turn): Promise<void> {
    // Ours, but not running: it failed and could not be closed, or its recovery fails.
    const held = await this.#env.store.renewLeases(this.#env.owner, [turn.id], this.leaseMs);
    if (held.length > 0) {
      if (!this.interrupt(turn.id)) await this.#takeOver.close(turn);
      return;
    }
    await this.#env.store.publish({ type: 'interrupt', projectId: turn.projectId, turnId: turn.id });
    await this.#takeOver.passAtOnce((id) => this.#running.has(id));
  }

  /** Gives running turns time to end by themselves, then interrupts them, and waits until everything is stored. */
  async stop(graceMs: number): Promise<{ readonly interrupted: number }> {
    this.#stopping = true;
    await this.#settled(graceMs);
    const interrupted = this.#running.size;
    for (const { running } of this.#running.values()) running.abort.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#looking;
    // Not earlier: leases must not run out while the last turns are ending.
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    await this.#renewing;
    await Promise.all(this.#telling);
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#dropping;
    this.#unsubscribe?.();
    return { interrupted };
  }

  #prepare(start: TurnStart, isRecorded: boolean): RunningTurn {
    const { turn, branch, toolChoice } = start;
    const abort = new AbortController();
    const log = new TurnLog(
      this.#env.store,
      { projectId: turn.projectId, turnId: turn.id },
      (entry) => this.#publish(turn.projectId, entry),
      start.from,
      () => {
        if (!isRecorded) abort.abort();
      },
      isRecorded ? LINGER_MS : 0,
    );
    return {
      turn,
      branch,
      toolChoice,
      limits: start.limits ?? {},
      log,
      abort,
      storing: this.#storing,
      startedAt: this.#env.now().getTime(),
      isRecorded,
      tip: start.tip,
      nodeIds: start.nodeIds === undefined ? null : [...start.nodeIds],
      mayContinue: true,
      mayShareReasoning: true,
      containers: 'usable',
      containerFiles: [],
      mayBringFiles: true,
      mayCompact: start.resume === undefined,
      calls: start.calls ?? 0,
      isStopped: false,
      isLost: false,
    };
  }

  #lead(running: RunningTurn, userNodeId: NodeId | null | undefined, work: () => Promise<Outcome>): void {
    const { id } = running.turn;
    this.#env.observe({ type: 'turn_started', turnId: id });
    this.#running.set(id, { running, done: this.#leadToEnd(running, userNodeId, work) });
  }

  /** `userNodeId` is undefined where the turn was announced before. */
  async #leadToEnd(
    running: RunningTurn,
    userNodeId: NodeId | null | undefined,
    work: () => Promise<Outcome>,
  ): Promise<void> {
    const { turn, branch } = running;
    // Not awaited: the client that asked for the turn watches it from its first line on, and has nothing to read.
    const begun = this.#tellSoon(turn);
    try {
      if (userNodeId !== undefined) {
        const { id: turnId, isThinkingMode } = turn;
        await running.log.write({ lines: [{ type: 'turn', turnId, branch: branch.name, isThinkingMode, userNodeId }] });
      }
    } catch (error) {
      // The store refused the first line; the run below meets the same failure and closes the turn.
      this.#problem('the log of a turn', error);
    }
    const outcome = await work();
    if (this.#running.get(turn.id)?.running === running) this.#running.delete(turn.id);
    this.#watchedUntil.delete(turn.id);
    this.hub.tell(turn.id, outcome);
    if (outcome.type === 'ended') this.#dropLogLater(turn.projectId, turn.id);
    if (outcome.type === 'ended') this.#onEnd(turn);
    await Promise.all([begun, this.#tellSoon(turn)]);
  }

  /** Tells the others that a turn began or ended. */
  #tellSoon(turn: Turn): Promise<void> {
    this.#changed.set(turn.id, turn);
    if (this.#gathering === null) {
      const telling = this.#tellOfAll().finally(() => this.#telling.delete(telling));
      this.#telling.add(telling);
      this.#gathering = telling;
    }
    return this.#gathering;
  }

  async #tellOfAll(): Promise<void> {
    await sleep(TOLD_AFTER_MS);
    const turns = [...this.#changed.values()];
    this.#changed.clear();
    this.#gathering = null;
    await Promise.all(turns.map(({ id, projectId }) => this.tell({ type: 'changed', projectId, turnId: id })));
  }

  #publish(projectId: ProjectId, entry: PublishedEntry): void {
    this.hub.tell(entry.turnId, { type: 'entry', entry });
    if ((this.#watchedUntil.get(entry.turnId) ?? 0) > this.#env.now().getTime()) {
      void this.tell({ type: 'progress', projectId, turnId: entry.turnId, seq: entry.entrySeq });
    }
  }

  #hear(signal: StoreSignal): void {
    switch (signal.type) {
      case 'interrupt':
        this.interrupt(signal.turnId);
        return;
      case 'watching':
        if (this.#running.has(signal.turnId))
          this.#watchedUntil.set(signal.turnId, this.#env.now().getTime() + WATCHED_MS);
        return;
      case 'progress':
        if (!this.#running.has(signal.turnId)) this.hub.tell(signal.turnId, { type: 'progress' });
        return;
      case 'changed':
    }
  }

  async #lookForAbandoned(): Promise<void> {
    await this.#takeOver.pass((turn) => this.#running.has(turn));
  }

  async #renew(): Promise<void> {
    const before = new Map(this.#running);
    const turns = [...before.keys(), ...this.#takeOver.held];
    if (turns.length === 0) return this.#lease.rest();
    try {
      const leaseMs = this.#lease.next(performance.now());
      const held = new Set(await this.#env.store.renewLeases(this.#env.owner, turns, leaseMs));
      // Another server took over the turn: this process must not write another word of it. A recorded turn may have
      // ended and begun again while the store was asked.
      for (const [id, { running }] of before) {
        if (held.has(id) || this.#running.get(id)?.running !== running) continue;
        running.isLost = true;
        if (!running.isRecorded) this.interrupt(id);
      }
    } catch (error) {
      this.#problem('renewing leases', error);
    }
  }

  async #settled(graceMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...this.#running.values()].map(({ done }) => done)), grace]);
    clearTimeout(timer);
  }

  #dropLogLater(projectId: ProjectId, turnId: TurnId): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      // One after the other: dropping the logs of turns that ended together all at once would hold up those that run.
      this.#dropping = this.#dropping.then(() => this.#dropLog(projectId, turnId));
    }, LOG_KEPT_MS);
    timer.unref();
    this.#timers.add(timer);
  }

  async #dropLog(projectId: ProjectId, turnId: TurnId): Promise<void> {
    // A recorded turn went on: its log is another one by now.
    if (this.#running.has(turnId)) return;
    try {
      await this.#env.store.dropLog(projectId, turnId);
    } catch (error) {
      // Somebody deleted the turn in the meantime, and its log with it; or another server goes on with it.
      const isRunning = error instanceof ConflictError && error.code === 'turn_running';
      if (!(error instanceof UnknownIdError) && !isRunning) this.#problem('dropping a log', error);
    }
  }

  /** A lost signal costs time, never data: its receivers also check the store by themselves. */
  async tell(signal: StoreSignal): Promise<void> {
    await this.#env.store.publish(signal).catch((error: unknown) => this.#problem('a signal', error));
  }

  #problem(what: string, error: unknown): void {
    this.#env.observe({ type: 'problem', what, message: error instanceof Error ? error.message : String(error) });
  }
}
