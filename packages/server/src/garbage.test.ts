import { describe, expect, it } from 'vitest';
import { growthOf } from './garbage.ts';

const MB = 1024 * 1024;

describe('the memory of a server', () => {
  it('GW-301: a heap grows by half of its live data before it is swept, a small one by more', () => {
    expect([220, 192, 96, 48, 32, 1].map((live) => growthOf(live * MB))).toEqual([50, 50, 100, 200, 300, 300]);
  });
});
