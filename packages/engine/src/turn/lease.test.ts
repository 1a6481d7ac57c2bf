import { describe, expect, it } from 'vitest';
import { Hesitation, LeaseLength } from './lease.ts';

const limits = { leaseMs: 2_700, heartbeatMs: 400 };

describe('LeaseLength', () => {
  it('EN-39: who renews in time asks for the same short lease every time', () => {
    const length = new LeaseLength(limits);
    for (let now = 0; now < 40_000; now += 430) expect(length.next(now)).toBe(2_700);
  });

  it('EN-39: who is late again and again asks for more, and for less when it is over', () => {
    const length = new LeaseLength(limits);
    let now = 0;
    let lease = length.next(now);
    // A second and a half late at every heartbeat: each lease lasts, and soon has room for a delay three times as long.
    for (let round = 0; round < 10; round += 1) {
      expect(lease).toBeGreaterThan(1_900);
      lease = length.next((now += 1_900));
    }
    expect(lease).toBeGreaterThan(5_500);
    for (let beat = 0; beat < 30; beat += 1) lease = length.next((now += 400));
    expect(lease).toBeLessThan(2_710);
  });

  it('EN-39: one long stop changes nothing, a pause in which nothing was held is none, and no lease is endless', () => {
    const length = new LeaseLength(limits);
    length.next(0);
    length.rest();
    expect(length.next(60_000)).toBe(2_700);
    let now = 9_999_999;
    expect(length.next(now)).toBe(2_700);
    for (let beat = 0; beat < 5; beat += 1) expect(length.next((now += 400))).toBe(2_700);
    for (let beat = 0; beat < 100; beat += 1) length.next((now += 60_000));
    expect(length.current).toBeLessThanOrEqual(4 * 2_700);
  });
});

describe('Hesitation', () => {
  const beats = (hesitation: Hesitation, from: number, count: number, every: number): number => {
    let now = from;
    for (let beat = 0; beat < count; beat += 1) hesitation.beat((now += every));
    return now;
  };

  it('EN-45: who is in time takes over as soon as a lease has run out', () => {
    const hesitation = new Hesitation(limits);
    const now = beats(hesitation, 0, 50, 430);
    expect(hesitation.at(now)).toBe(0);
  });

  it('EN-45: who is late itself waits twice as long as it was late, and some seconds later no more', () => {
    const hesitation = new Hesitation(limits);
    let now = beats(hesitation, 0, 5, 400);
    hesitation.beat((now += 1_400));
    expect(hesitation.at(now)).toBe(2_000);
    now = beats(hesitation, now, 10, 400);
    expect(hesitation.at(now)).toBe(2_000);
    now = beats(hesitation, now, 5, 400);
    expect(hesitation.at(now)).toBe(0);
  });

  it('EN-45: who has just begun gives another lease, because it cannot know', () => {
    const hesitation = new Hesitation(limits);
    expect(hesitation.at(0)).toBe(2_700);
    const now = beats(hesitation, 0, 3, 400);
    expect(hesitation.at(now)).toBe(0);
  });

  it('EN-45: a slow store counts as well, and nobody waits for more than two leases', () => {
    const hesitation = new Hesitation(limits);
    const now = beats(hesitation, 0, 5, 400);
    hesitation.delayed(now, 900);
    expect(hesitation.at(now)).toBe(1_800);
    hesitation.beat(now + 3_600_000);
    expect(hesitation.at(now + 3_600_000)).toBe(5_400);
  });
});
