import type { EngineLimits } from '../environment.ts';

/** What a machine is late by without being busy. */
const USUAL_MS = 200;
const FORGETTING = 0.95;
const LONGEST_EXTENSION_MS = 10_000;

/**
 * How long a lease is asked for. Short leases let others take over soon from a server that died; but one that is busy renews late,
 * and its turns must not be taken for dead. So whoever is late asks for more time, until it has been in time for a while.
 */
export class LeaseLength {
  readonly #limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>;
  #renewedAt: number | null = null;
  #lateness = 0;

  constructor(limits: Pick<EngineLimits, 'leaseMs' | 'heartbeatMs'>) {
    this.#limits = limits;
  }

  /** To be asked for at every heartbeat, with a clock that only goes forward. */
  next(now: number): number {
    const late = this.#renewedAt === null ? 0 : now - this.#renewedAt - this.#limits.heartbeatMs - USUAL_MS;
    this.#renewedAt = now;
    this.#lateness = Math.max(late, this.#lateness * FORGETTING);
    return this.current;
  }

  /** For a turn that begins between two heartbeats. */
  get current(): number {
    return Math.round(this.#limits.leaseMs + Math.min(2 * Math.max(0, this.#lateness), LONGEST_EXTENSION_MS));
  }

  /** Nothing was held for a while: what passed in between was no lateness. */
  rest(): void {
    this.#renewedAt = null;
  }
}
