import type { Turn, TurnId } from '@bough/core';
import { ConflictError } from '@bough/store';
import type { Environment } from '../environment.ts';
import { closeTurn } from './close.ts';
import { isPassing } from './failure.ts';
import { createErrorNode } from './finish.ts';
import { Hesitation } from './lease.ts';

/** How often closing a turn may fail for a reason of its own before it is closed without its log. */
const TRIES = 3;
/** How many turns are closed at the same time: a server that died may leave hundreds. */
const AT_ONCE = 4;

const UNREADABLE =
  'The server that ran this turn stopped, and the log of the turn cannot be read: what was shown last of the reply may be missing here. ' +
  'Send the message again; the log of the server tells more.';

/**
 * Closes the turns of dead owners, each independently: one that cannot be closed holds up no other, and is tried again.
 */
export class TakeOver {
  readonly #env: Environment;
  readonly #closed: (turn: Turn, withLog: boolean) => Promise<void>;
  readonly #closing = new Map<TurnId, Promise<void>>();
  readonly #failures = new Map<TurnId, number>();
  readonly #hesitation: Hesitation;
  #passing: Promise<void> | null = null;

  /** `closed` is called for every turn that was closed, with whether its log was read and may be dropped. */
  constructor(env: Environment, closed: (turn: Turn, withLog: boolean) => Promise<void>) {
    this.#env = env;
    this.#closed = closed;
    this.#hesitation = new Hesitation(env.limits);
  }

  /** The turns being closed at the moment: their leases are renewed like those of running turns. */
  get held(): readonly TurnId[] {
    return [...this.#closing.keys()];
  }

  /** To be called at every heartbeat of this process. */
  beat(): void {
    this.#hesitation.beat(performance.now());
  }

  /** Claims and closes what nobody runs any more. Never throws; joins a pass that is already under way. */
  async pass(isRunning: (turn: TurnId) => boolean): Promise<void> {
    this.#passing ??= this.#pass(isRunning, this.#hesitation.at(performance.now())).finally(
      () => (this.#passing = null),
    );
    await this.#passing;
  }

  /** The same on somebody's request: an owner whose lease has run out gets no more time. */
  async passAtOnce(isRunning: (turn: TurnId) => boolean): Promise<void> {
    await this.#passing;
    await this.#pass(isRunning, 0);
  }

  /** Closes a turn that this process owns but does not run. */
  async close(turn: Turn): Promise<void> {
    const underWay = this.#closing.get(turn.id);
    if (underWay !== undefined) return underWay;
    const closing = this.#close(turn).finally(() => this.#closing.delete(turn.id));
    this.#closing.set(turn.id, closing);
    return closing;
  }

  async #pass(isRunning: (turn: TurnId) => boolean, graceMs: number): Promise<void> {
    let waiting: Turn[];
    try {
      const { store, owner, limits } = this.#env;
      const asked = performance.now();
      const claimed = await store.claimExpiredTurns(owner, limits.leaseMs, graceMs);
      this.#hesitation.delayed(performance.now(), performance.now() - asked);
      waiting = claimed.filter((turn) => !isRunning(turn.id));
    } catch (error) {
      return this.#problem('looking for turns without an owner', error);
    }
    const work = async (): Promise<void> => {
      for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
        await this.close(turn).catch((error: unknown) => this.#problem('recovering a turn', error));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #close(turn: Turn): Promise<void> {
    let withLog = true;
    try {
      await closeTurn(this.#env, turn);
    } catch (error) {
      // Another server was faster: the turn is closed, or will be.
      if (error instanceof ConflictError && error.code === 'not_owner') {
        this.#failures.delete(turn.id);
        return;
      }
      const failures = (this.#failures.get(turn.id) ?? 0) + (isPassing(error) ? 0 : 1);
      this.#failures.set(turn.id, failures);
      if (failures < TRIES) throw error;
      this.#problem('recovering a turn', error);
      await this.#closeWithoutLog(turn);
      withLog = false;
    }
    this.#failures.delete(turn.id);
    this.#env.observe({ type: 'turn_recovered', turnId: turn.id });
    await this.#closed(turn, withLog);
  }

  /**
   * A turn left open for ever would block its branch. The reply says what happened; the log stays in case it becomes
   * readable.
   */
  async #closeWithoutLog(turn: Turn): Promise<void> {
    const { store, owner } = this.#env;
    const end = {
      projectId: turn.projectId,
      turnId: turn.id,
      owner,
      calls: [],
      renderings: [],
      status: 'interrupted',
    } as const;
    try {
      const branch = await store.getBranch(turn.projectId, turn.branchId ?? '');
      const parentId = (await store.nodesOfTurn(turn.projectId, turn.id)).at(-1)?.id ?? branch.tipId;
      if (parentId === null) throw new Error('The turn has no message.');
      const node = createErrorNode(this.#env, {
        turn,
        branchId: branch.id,
        parentId,
        message: UNREADABLE,
        issuer: branch.envelope,
        createdAt: this.#env.now().toISOString(),
      });
      const tip = { branchId: branch.id, expected: parentId, next: node.id };
      await store.commitTurn({ ...end, nodes: [node], tip });
    } catch (error) {
      this.#problem('the reply of a turn that cannot be read', error);
      await store.commitTurn({ ...end, nodes: [] });
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
