import { describe, expect, it } from 'vitest';
import { conflictsIn, merge3, mergedText } from './merge3.ts';
import { appendPassage, replacePassage } from './passage.ts';

const text = (words: string): string => words.split(' ').join('\n');
const merged = (base: string, ours: string, theirs: string): string | null =>
  mergedText(merge3(text(base), text(ours), text(theirs)), []);

describe('merge', () => {
  it.each([
    ['a b c d e', 'A b c d e', 'a b c d E', 'A b c d E'],
    ['a b c', 'a b c', 'a b c d', 'a b c d'],
    ['a b c', 'a c', 'a b c', 'a c'],
    ['a b c', 'a X c', 'a X c', 'a X c'],
    ['a b c d e', 'new a b c d e', 'a b c d e end', 'new a b c d e end'],
  ])('CV-746: %s became %s and %s: %s', (base, ours, theirs, both) => {
    expect(merged(base, ours, theirs)).toBe(text(both));
  });

  it('CV-746: a place that both changed is a conflict, and nothing is merged until it is said which side counts', () => {
    const parts = merge3('a\nb\nc', 'a\nours\nc', 'a\ntheirs\nc');
    expect(conflictsIn(parts)).toEqual([{ kind: 'conflict', base: ['b'], ours: ['ours'], theirs: ['theirs'] }]);
    expect(mergedText(parts, [])).toBeNull();
    expect(mergedText(parts, ['ours'])).toBe('a\nours\nc');
    expect(mergedText(parts, ['theirs'])).toBe('a\ntheirs\nc');
    expect(mergedText(parts, ['both'])).toBe('a\nours\ntheirs\nc');
    expect(conflictsIn(merge3('', 'mine', 'yours'))).toHaveLength(1);
    expect(mergedText(merge3('a\nb', 'a', 'a\nB'), ['ours'])).toBe('a');
  });

  it('CV-747: whatever the texts are, no line of either side is lost without a choice, and a merge with itself is none', () => {
    let state = 5;
    const random = (most: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * most);
    };
    const some = (): string => Array.from({ length: random(9) }, () => 'abcd'[random(4)]).join('\n');
    for (let round = 0; round < 400; round += 1) {
      const [base, ours, theirs] = [some(), some(), some()];
      const all = (side: 'ours' | 'theirs'): string | null => {
        const parts = merge3(base, ours, theirs);
        return mergedText(
          parts,
          conflictsIn(parts).map(() => side),
        );
      };
      expect(mergedText(merge3(base, ours, base), [])).toBe(ours);
      expect(mergedText(merge3(base, base, theirs), [])).toBe(theirs);
      expect(mergedText(merge3(base, ours, ours), [])).toBe(ours);
      // The same from the other side.
      const mirrored = merge3(base, theirs, ours);
      expect(
        mergedText(
          mirrored,
          conflictsIn(mirrored).map(() => 'theirs' as const),
        ),
      ).toBe(all('ours'));
    }
  });

  it('CV-748: a passage is replaced where it occurs once; what is added begins on a line of its own', () => {
    expect(replacePassage('one two', 'two', '$& three')).toEqual({ text: 'one $& three' });
    expect(replacePassage('aa', 'a', 'b')).toEqual({ found: 2 });
    expect(replacePassage('aa', 'x', 'b')).toEqual({ found: 0 });
    expect(appendPassage('', 'a')).toBe('a');
    expect(appendPassage('a', 'b')).toBe('a\nb');
    expect(appendPassage('a\n', 'b')).toBe('a\nb');
  });
});
