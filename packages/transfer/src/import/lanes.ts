import type { ProjectId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';

/** What is stored at the same time weighs no more than this, so that a file of long conversations stays flat. */
const MOST = { projects: 32, weight: 16 * 2 ** 20 } as const;

/** A project whose records are all in memory: it can be stored while the next one is read. */
export interface Held {
  readonly project: ProjectId;
  /** About as many bytes as its records take. */
  readonly weight: number;
}

/** Of a list that begins with its project. */
export function heldOf(records: readonly ProjectRecord[]): Held | null {
  const [first] = records;
  return first?.type === 'project' ? { project: first.value.id, weight: bytesOf(records) } : null;
}

/** About so many: what counts are the texts. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 64;
  for (const each of Object.values(value)) bytes += bytesOf(each);
  return bytes;
}

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

/**
 * Stores several projects at the same time: a store waits for its disk once per project, and what waits together waits
 * once. Their results are told in the order in which they were begun, whichever ends first.
 */
export class Lanes<Result> {
  readonly #tell: (result: Result) => void;
  readonly #underWay: (Held & { readonly outcome: Promise<Outcome<Result>> })[] = [];

  constructor(tell: (result: Result) => void) {
    this.#tell = tell;
  }

  /** Waits for room. Without `held` nothing else is under way while it works. */
  async add(held: Held | null, work: () => Promise<Result>): Promise<void> {
    while (this.#underWay.length > 0 && !this.#hasRoomFor(held)) await this.#first();
    const outcome = work().then(
      (result) => ({ result }),
      (failure: unknown) => ({ failure }),
    );
    this.#underWay.push({ ...(held ?? { project: '' as ProjectId, weight: 0 }), outcome });
    if (held === null) await this.end();
  }

  /** All of them are stored, or the first failure is thrown. */
  async end(): Promise<void> {
    while (this.#underWay.length > 0) await this.#first();
  }

  /** After a failure or an interruption: what was begun ends before the store may be closed. */
  async settle(tell: (result: Result) => void): Promise<void> {
    for (const { outcome } of this.#underWay.splice(0)) {
      const ended = await outcome;
      if ('result' in ended) tell(ended.result);
    }
  }

  /** A project that comes twice grows by what its second part has: it must find the first one in the store. */
  #hasRoomFor(held: Held | null): boolean {
    if (held === null || this.#underWay.length >= MOST.projects) return false;
    const weight = this.#underWay.reduce((sum, each) => sum + each.weight, held.weight);
    return weight <= MOST.weight && this.#underWay.every(({ project }) => project !== held.project);
  }

  async #first(): Promise<void> {
    const first = this.#underWay.shift();
    if (first === undefined) return;
    const ended = await first.outcome;
    if ('failure' in ended) throw ended.failure;
    this.#tell(ended.result);
  }
}
