import { describe, expect, it } from 'vitest';
import { planReply } from '../plan/index.ts';
import { createWorld } from './index.ts';

const world = (seed: string, memory?: number) =>
  createWorld({
    seed,
    plan: planReply,
    note: () => undefined,
    now: () => 0,
    ...(memory === undefined ? {} : { memory }),
  });

describe('createWorld', () => {
  it('SIM-2: the same seed gives the same ids, another seed gives others, and none comes twice', () => {
    const ids = (seed: string): string[] => {
      const { newId } = world(seed);
      return Array.from({ length: 50 }, () => newId('toolu_', 24));
    };
    expect(ids('a')).toEqual(ids('a'));
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(100);
    for (const id of ids('a')) expect(id).toMatch(/^toolu_[0-9A-Za-z]{24}$/);
    expect(world('a').newId('x', 200)).toHaveLength(201);
  });

  it('SIM-3: signatures outlive a restart with another seed, and depend on purpose and payload', () => {
    const signature = world('a').sign('thinking', 'payload');
    expect(world('b').sign('thinking', 'payload')).toBe(signature);
    expect(world('a').sign('thinking', 'payloae')).not.toBe(signature);
    expect(world('a').sign('thinkin', 'gpayload')).not.toBe(signature);
  });

  it('SIM-2: forgets the oldest when its memory is full', () => {
    const { remember, recall } = world('a', 2);
    remember('item', '1', 'one');
    remember('item', '2', 'two');
    remember('item', '1', 'one again');
    remember('item', '3', 'three');
    expect(['1', '2', '3'].map((key) => recall('item', key))).toEqual(['one again', undefined, 'three']);
    expect(recall('other', '1')).toBeUndefined();
  });
});
