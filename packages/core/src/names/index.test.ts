import { describe, expect, it } from 'vitest';
import { excerpt } from './index.ts';

describe('names', () => {
  it('NA-1: an excerpt is one line, no longer than asked for, and says where it was cut', () => {
    expect(excerpt('  two\n\tlines ', 20)).toBe('two lines');
    expect(excerpt('exactly', 7)).toBe('exactly');
    expect(excerpt('a sentence', 5)).toBe('a se…');
  });
});
