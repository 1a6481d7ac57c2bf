import { describe, expect, it } from 'vitest';
import { excerpt, freeName } from './index.ts';

describe('names', () => {
  it('NA-1: an excerpt is one line, no longer than asked for, and says where it was cut', () => {
    expect(excerpt('  two\n\tlines ', 20)).toBe('two lines');
    expect(excerpt('exactly', 7)).toBe('exactly');
    expect(excerpt('a sentence', 5)).toBe('a se…');
  });

  it('TI-2: a free name is found by counting', () => {
    expect(freeName('a', new Set())).toBe('a');
    expect(freeName('a', new Set(['a', 'a 2']))).toBe('a 3');
  });
});
