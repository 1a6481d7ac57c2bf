import { describe, expect, it } from 'vitest';
import { fateOf, losesLaterThinking } from './reasoning-fate.ts';

const lines = new Map([
  ['a', { reasoning: 'goes_back' as const }],
  ['b', { reasoning: 'left_out' as const }],
  ['c', {}],
  ['d', { reasoning: 'goes_back' as const }],
]);

describe('what becomes of reasoning', () => {
  it('WEB-130: what can be decided about is said first, and nothing about what is not sent', () => {
    expect(fateOf(lines, [{ id: 'a' }, { id: 'b' }])).toBe('left_out');
    expect(fateOf(lines, [{ id: 'a' }, { id: 'c' }])).toBe('goes_back');
    expect(fateOf(lines, [{ id: 'c' }, { id: 'unknown' }])).toBeNull();
  });

  it('WEB-130: as text it costs later replies theirs, if any of them still has it', () => {
    expect(losesLaterThinking(lines, 'b')).toBe(true);
    expect(losesLaterThinking(lines, 'd')).toBe(false);
  });
});
