import type { EngineLimits } from '../environment.ts';

/** How late an idle machine may be. */
const USUAL_MS = 200;
/** How much the newest heartbeat counts. */
const WEIGHT = 0.3;
const EXTENSION = 3;

/**
 * How long a lease to ask for. Short leases let others take over soon from a server that died; but a busy one renews
 * late, and its turns must not be taken for dead. So an owner that is repeatedly late asks for more time, until it is
 * on time again.
 */
export class LeaseLength {
  readonly #limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>;
  #renewedAt: number | null = null;
  #lastLate = 0;
  #lateness = 0;

  constructor(limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>) {
    this.#limits = limits;
  }

  /** To be called at every heartbeat, with a monotonic clock. */
  next(now: number): number {
    const late = this.#renewedAt === null ? 0 : now - this.#renewedAt - this.#limits.heartbeatMs - USUAL_MS;
    this.#renewedAt = now;
    // A single long stop does not count: an owner that was late twice in a row is busy, and will be late again.
    const counted = Math.min(Math.max(0, late), this.#lastLate, this.#limits.leaseMs);
    this.#lastLate = Math.max(0, late);
    this.#lateness += (counted - this.#lateness) * WEIGHT;
    return this.current;
  }

  /** For a turn that begins between two heartbeats. */
  get current(): number {
    return Math.round(this.#limits.leaseMs + EXTENSION * this.#lateness);
  }

  /** Nothing was held for a while: the time that passed was not lateness. */
  rest(): void {
    this.#renewedAt = null;
  }
}

/** How long a delay counts. */
const REMEMBERED_MS = 5_000;
const MOST_LEASES = 2;
/** A process that has just started does not yet know how late it is. */
const FIRST_BEATS = 3;

/**
 * How much longer than its lease another owner's turn is left alone. If this process is late itself, its machine or
 * database is starving everybody: there, and after a laptop's sleep, an owner that did not renew in time is late, not
 * dead.
 */
export class Hesitation {
  readonly #limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>;
  #beatAt: number | null = null;
  #beats = 0;
  #delays: { readonly at: number; readonly ms: number }[] = [];

  constructor(limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>) {
    this.#limits = limits;
  }

  /** To be called at every heartbeat, with a monotonic clock. */
  beat(now: number): void {
    if (this.#beatAt !== null) this.delayed(now, now - this.#beatAt - this.#limits.heartbeatMs);
    this.#beatAt = now;
    this.#beats += 1;
  }

  /** Something that is usually quick took this long. */
  delayed(now: number, ms: number): void {
    this.#delays = this.#delays.filter(({ at }) => now - at < REMEMBERED_MS);
    if (ms > USUAL_MS) this.#delays.push({ at: now, ms });
  }

  /** Twice the longest delay of the last seconds: what was late once may be later the next time. */
  at(now: number): number {
    if (this.#beats < FIRST_BEATS) return this.#limits.leaseMs;
    const recent = this.#delays.filter(({ at }) => now - at < REMEMBERED_MS).map(({ ms }) => 2 * ms);
    return Math.min(Math.max(0, ...recent), MOST_LEASES * this.#limits.leaseMs);
  }
}
