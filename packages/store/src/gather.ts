/**
 * Adaptive group commit: everything given while a round is under way is carried together in the next one. A single
 * stream pays no delay, and a hundred streams pay for one commit. Rounds run one after the other, so what was given
 * first is carried first.
 */
export interface Gathering<Item> {
  /** Resolves when the round that carried the item has succeeded; rejects with the item's own error. */
  readonly give: (item: Item) => Promise<void>;
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>;
}

export interface GatherOptions<Item> {
  /** Carries items in order; the answer for each is null or its error. */
  readonly carry: (items: readonly Item[]) => Promise<readonly (Error | null)[]>;
  /** The weight of an item, and how much one round takes; a single item may weigh more. */
  readonly weigh: (item: Item) => number;
  readonly capacity: number;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export function gather<Item>({ carry, weigh, capacity }: GatherOptions<Item>): Gathering<Item> {
  let waiting: Waiting<Item>[] = [];
  let working: Promise<void> | null = null;

  const takeRound = (): readonly Waiting<Item>[] => {
    let weight = 0;
    const end = waiting.findIndex(({ item }, index) => (weight += weigh(item)) > capacity && index > 0);
    const round = end === -1 ? waiting : waiting.slice(0, end);
    waiting = waiting.slice(round.length);
    return round;
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const round = takeRound();
      try {
        const answers = await carry(round.map(({ item }) => item));
        for (const [index, { resolve, reject }] of round.entries()) {
          const error = answers[index] ?? null;
          if (error === null) resolve();
          else reject(error);
        }
      } catch (error) {
        for (const { reject } of round) reject(error);
      }
    }
    working = null;
  };

  const settled = async (): Promise<void> => {
    await working;
    if (waiting.length > 0) await settled();
  };

  return {
    give: (item) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        working ??= work();
      }),
    settled,
  };
}
