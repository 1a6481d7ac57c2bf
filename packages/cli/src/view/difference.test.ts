import { diffLines } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { differenceText } from './difference.ts';

const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

describe('a difference in the terminal', () => {
  it('CLI-10: shows what went and what came with their signs and their places', () => {
    const before = numbers(1, 21).join('\n');
    const after = [...numbers(1, 10), 'changed', ...numbers(11, 21), 'new'].join('\n');
    expect(differenceText(diffLines(before, after, 1))).toBe(
      '@@ line 9 @@\n  line 9\n- line 10\n+ changed\n  line 11\n@@ line 20 @@\n  line 20\n+ new\n',
    );
  });

  it('CLI-10: says that there is none, and that everything is new', () => {
    expect(differenceText(diffLines('a', 'a'))).toBe('No difference.\n');
    expect(differenceText(diffLines('', 'a\nb'))).toBe('@@ line 1 @@\n+ a\n+ b\n');
  });
});
