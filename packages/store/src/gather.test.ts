import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gather } from './gather.ts';

/** A carrier that works when told to, and remembers its rounds. */
function carrier() {
  const rounds: string[][] = [];
  const pending: (() => void)[] = [];
  const carry = async (items: readonly string[]): Promise<readonly (Error | null)[]> => {
    rounds.push([...items]);
    await new Promise<void>((resolve) => {
      pending.push(resolve);
    });
    return items.map((item) => (item.startsWith('bad') ? new Error(item) : null));
  };
  return { rounds, carry, finish: () => pending.shift()?.() };
}

test('PG-21: what is given while a round is under way goes into the next one, together and in order', async () => {
  const { rounds, carry, finish } = carrier();
  const gathering = gather({ carry, weigh: () => 1, capacity: 100 });
  const given = ['a', 'b', 'c', 'd'].map((item) => gathering.give(item));
  expect(rounds).toStrictEqual([['a']]);
  finish();
  await given[0];
  expect(rounds).toStrictEqual([['a'], ['b', 'c', 'd']]);
  finish();
  await Promise.all(given);
  await gathering.settled();
});

test('PG-21: a round takes no more than it can carry, and a single large item goes alone', async () => {
  const { rounds, carry, finish } = carrier();
  const gathering = gather({ carry, weigh: (item) => item.length, capacity: 5 });
  const given = ['x', 'aa', 'bb', 'cc', 'ddddddddd', 'e'].map((item) => gathering.give(item));
  for (const promise of given) {
    for (let round = 0; round < given.length; round += 1) {
      finish();
      await turn();
    }
    await promise;
  }
  expect(rounds).toStrictEqual([['x'], ['aa', 'bb'], ['cc'], ['ddddddddd'], ['e']]);
});

test('PG-21: an item that fails fails alone; a round that fails fails whole, and the next one is carried', async () => {
  const gathering = gather<string>({
    carry: (items) => {
      if (items.includes('broken')) return Promise.reject(new Error('the whole round'));
      return Promise.resolve(items.map((item) => (item.startsWith('bad') ? new Error(item) : null)));
    },
    weigh: () => 1,
    capacity: 2,
  });
  const results = await Promise.allSettled(
    ['first', 'bad one', 'good', 'broken', 'beside', 'last'].map((item) => gathering.give(item)),
  );
  expect(results.map((result) => (result.status === 'fulfilled' ? 'stored' : String(result.reason)))).toStrictEqual([
    'stored',
    'Error: bad one',
    'stored',
    'Error: the whole round',
    'Error: the whole round',
    'stored',
  ]);
});

test('PG-21: settling waits for everything that was given', async () => {
  let carried = 0;
  const gathering = gather<number>({
    carry: async (items) => {
      await turn();
      carried += items.length;
      return [];
    },
    weigh: () => 1,
    capacity: 2,
  });
  const given = [1, 2, 3, 4, 5].map((item) => gathering.give(item));
  await gathering.settled();
  expect(carried).toBe(5);
  await Promise.all(given);
});
