/** A small seeded generator (mulberry32): the same seed gives the same plan in every process. */
export interface Random {
  /** At least 0, below 1. */
  readonly next: () => number;
  /** A whole number from 0 to `below` - 1. */
  readonly int: (below: number) => number;
  readonly pick: <T>(values: readonly T[]) => T;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    pick: (values) => {
      const value = values[int(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
  };
}
