import { describe, expect, it } from 'vitest';
import { excerpt, freeName, idFrom } from './index.ts';

describe('names', () => {
  it('NA-1: an excerpt is one line, no longer than asked for, and says where it was cut', () => {
    expect(excerpt('  two\n\tlines ', 20)).toBe('two lines');
    expect(excerpt('exactly', 7)).toBe('exactly');
    expect(excerpt('a sentence', 5)).toBe('a se…');
  });

  it('NA-2: a derived id depends on every part and on nothing else, and is of version 8', () => {
    expect(idFrom('a', 'node', 'n1')).toBe(idFrom('a', 'node', 'n1'));
    expect(new Set([idFrom('a', 'b'), idFrom('ab'), idFrom('b', 'a'), idFrom('a', 'b', '')]).size).toBe(4);
    expect(idFrom('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('TI-2: a free name is found by counting', () => {
    expect(freeName('a', new Set())).toBe('a');
    expect(freeName('a', new Set(['a', 'a 2']))).toBe('a 3');
  });
});
