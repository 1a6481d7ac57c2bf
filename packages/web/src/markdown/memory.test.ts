import { expect, it } from 'vitest';
import { createMemory } from './memory.ts';

it('WEB-32: remembers what was used lately, up to a sum of weights', () => {
  const memory = createMemory<string>(10);
  memory.set('a', 'A', 4);
  memory.set('b', 'B', 4);
  expect(memory.get('a')).toBe('A');
  memory.set('c', 'C', 4);
  expect(memory.get('b')).toBeUndefined();
  expect(memory.newest(5)).toEqual(['C', 'A']);
  memory.set('a', 'AA', 6);
  expect(memory.newest(5)).toEqual(['AA', 'C']);
  memory.set('d', 'D', 20);
  expect(memory.newest(5)).toEqual([]);
});
