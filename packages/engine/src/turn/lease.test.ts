import { describe, expect, it } from 'vitest';
import { LeaseLength } from './lease.ts';

const limits = { leaseMs: 2_700, heartbeatMs: 400 };

describe('LeaseLength', () => {
  it('EN-39: who renews in time asks for the same short lease every time', () => {
    const length = new LeaseLength(limits);
    for (let now = 0; now < 40_000; now += 430) expect(length.next(now)).toBe(2_700);
  });

  it('EN-39: who is late asks for more, so that being late again costs nothing, and for less when it is over', () => {
    const length = new LeaseLength(limits);
    let now = 0;
    length.next(now);
    // Two seconds late, again and again: the first lease just lasts, the others with room to spare.
    for (let round = 0; round < 5; round += 1) {
      now += 2_400;
      expect(length.next(now)).toBeGreaterThan(2_400 + 3_000);
    }
    for (let beat = 0; beat < 150; beat += 1) length.next((now += 400));
    expect(length.next((now += 400))).toBeLessThan(2_710);
  });

  it('EN-39: a pause in which nothing was held is not lateness, and no lease is endless', () => {
    const length = new LeaseLength(limits);
    length.next(0);
    length.rest();
    expect(length.next(60_000)).toBe(2_700);
    expect(length.next(9_999_999)).toBe(12_700);
  });
});
