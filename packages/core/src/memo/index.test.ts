import { describe, expect, it } from 'vitest';
import { memoized, memoizedWith, sameElements } from './index.ts';

describe('memoized', () => {
  it('MM-1: computes once for an object, also where the result is null or empty', () => {
    const seen: object[] = [];
    const of = memoized((key: object) => {
      seen.push(key);
      return seen.length === 1 ? null : '';
    });
    const [a, b] = [{}, {}];
    expect([of(a), of(b), of(a), of(b)]).toEqual([null, '', null, '']);
    expect(seen).toEqual([a, b]);
  });

  it('MM-2: what stands beside the object counts: only the same gives the same', () => {
    const of = memoizedWith((key: { name: string }, beside: readonly string[]) => [key.name, ...beside], sameElements);
    const key = { name: 'k' };
    const first = of(key, ['a', 'b']);
    expect(of(key, ['a', 'b'])).toBe(first);
    expect(of(key, ['a', 'c'])).toEqual(['k', 'a', 'c']);
    expect(of(key, ['a'])).toEqual(['k', 'a']);
    expect(of(key, ['a', 'b'])).toEqual(first);
  });
});
