import { type Goal, judge, type Result } from '../frame/contest.ts';
import { type Contestant, RECORD, REPAIR } from './contestants.ts';

/** What each contestant measured in each round, under several names. */
export class Samples {
  readonly #lists = new Map<string, Map<string, number[]>>();

  add(what: string, contestant: string, value: number): void {
    const lists = this.#lists.get(what) ?? new Map<string, number[]>();
    this.#lists.set(what, lists);
    lists.set(contestant, [...(lists.get(contestant) ?? []), value]);
  }

  of(what: string): ReadonlyMap<string, readonly number[]> {
    return this.#lists.get(what) ?? new Map();
  }
}

/**
 * Every contestant in every round, each round beginning with another. A round to warm up is not counted; where there is
 * one round only, because it takes long, everything is warm by its length.
 */
export async function eachRound(
  contestants: readonly Contestant[],
  rounds: number,
  run: (contestant: Contestant, isCounted: boolean) => Promise<void>,
): Promise<void> {
  for (let round = rounds === 1 ? 0 : -1; round < rounds; round += 1) {
    for (const at of contestants.keys()) {
      const contestant = contestants[(at + round + 1) % contestants.length];
      if (contestant !== undefined) await run(contestant, round >= 0);
    }
  }
}

export interface Row {
  readonly work: string;
  readonly size: string;
  readonly unit: string;
  readonly rounds: number;
  readonly goals?: readonly Goal[];
}

type Entrants = readonly Pick<Contestant, 'name' | 'role'>[];

/** Bough as it is if nobody says otherwise, beside the others. */
export function judgeDefault(row: Row, contestants: Entrants, samples: ReadonlyMap<string, readonly number[]>): Result {
  return judge({ ...row, contestants: without(RECORD, contestants) }, samples);
}

/** A row for each mode of Bough: both were measured in the same rounds, beside the same others. */
export function judgeModes(
  row: Row,
  contestants: Entrants,
  samples: ReadonlyMap<string, readonly number[]>,
): readonly Result[] {
  const recording = { ...row, size: `${row.size}, record only`, contestants: without(REPAIR, contestants) };
  return [judgeDefault(row, contestants, samples), judge(recording, samples)];
}

const without = (mode: string, contestants: Entrants) => contestants.filter(({ name }) => name !== mode).map(toEntrant);

const toEntrant = ({ name, role }: Pick<Contestant, 'name' | 'role'>) => ({ name, role, run: () => Number.NaN });

export function sizeText(bytes: number): string {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes / 1e3} kB`;
}
