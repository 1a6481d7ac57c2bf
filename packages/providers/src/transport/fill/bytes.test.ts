import { expect, test } from 'vitest';
import { base64Of, includesBytes, joinBytes } from './bytes.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
/** As where there is no Buffer. */
const WITHOUT = null;

test('TRN-101: bytes are found and encoded the same with Node’s Buffer and without it', () => {
  const long = Uint8Array.from({ length: 100_003 }, (_, at) => (at * 31) % 256);
  for (const some of [bytes(), bytes(0), bytes(255, 0, 1), long, long.subarray(7, 40_000)]) {
    expect(base64Of(some, WITHOUT)).toBe(base64Of(some));
  }
  const wanted = bytes(92, 117, 100);
  for (const [some, found] of [
    [bytes(), false],
    [bytes(92, 117), false],
    [bytes(92, 117, 92, 117, 100), true],
    [bytes(1, 92, 92, 117, 101), false],
    [bytes(92, 117, 100), true],
  ] as const) {
    expect(includesBytes(some, wanted)).toBe(found);
    expect(includesBytes(some, wanted, WITHOUT)).toBe(found);
  }
  expect([...joinBytes(bytes(1, 2), bytes(3))]).toEqual([1, 2, 3]);
});
