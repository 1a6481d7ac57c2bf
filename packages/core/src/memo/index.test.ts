import { describe, expect, it } from 'vitest';
import { memoized } from './index.ts';

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
});
