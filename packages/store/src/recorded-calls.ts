import type { Call } from '@bough/core';
import type { Statistics } from './store.ts';

type Group = Statistics['recorded'][number];
type RepairGroup = Statistics['repairs'][number];
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Counts the calls that came from clients of the gateway; for stores that have them one by one. */
export interface RecordedTally {
  readonly add: (call: Call) => void;
  readonly result: () => Pick<Statistics, 'recorded' | 'repairs'>;
}

export function tallyRecorded(): RecordedTally {
  const groups = new Map<string, Mutable<Group>>();
  const repairs = new Map<string, Mutable<RepairGroup>>();
  return {
    add: ({ exchange, provider, model, status, usage, cost }) => {
      if (exchange === undefined) return;
      const { client, mode } = exchange;
      const name = { client, provider, model, mode };
      const tallied = found(groups, name, () => ({ ...name, ...NOTHING }));
      tallied.count += 1;
      tallied.repaired += (exchange.repairs ?? []).length > 0 ? 1 : 0;
      tallied.inputTokens += usage?.inputTokens ?? 0;
      tallied.cachedInputTokens += usage?.cachedInputTokens ?? 0;
      tallied.cacheWriteTokens += usage?.cacheWriteTokens ?? 0;
      tallied.outputTokens += usage?.outputTokens ?? 0;
      // Unknown is not zero: it adds nothing, and a sum of unknowns stays unknown.
      if (cost !== null) tallied.cost = (tallied.cost ?? 0) + cost;
      for (const { rule } of exchange.repairs ?? []) {
        const repair = { client, provider, rule, status };
        found(repairs, repair, () => ({ ...repair, count: 0 })).count += 1;
      }
    },
    result: () => ({ recorded: [...groups.values()], repairs: [...repairs.values()] }),
  };
}

const NOTHING = {
  count: 0,
  repaired: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  cost: null,
} as const satisfies Partial<Group>;

function found<Value>(map: Map<string, Value>, name: object, make: () => Value): Value {
  const key = JSON.stringify(name);
  const there = map.get(key) ?? make();
  map.set(key, there);
  return there;
}
