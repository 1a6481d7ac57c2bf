import { describe, expect, it } from 'vitest';
import { freeName, titleFrom, UNTITLED } from './titles.ts';

describe('titles', () => {
  it.each([
    ['What is love?\nBaby', 'What is love?'],
    ['\n## **Plan** for `today`', 'Plan for today'],
    ['', UNTITLED],
    ['\n \n', UNTITLED],
    ['word '.repeat(40), `${'word '.repeat(11)}word…`],
    ['字'.repeat(80), `${'字'.repeat(60)}…`],
  ])('TI-1: %j is called %j', (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });

  it('TI-2: a free name is found by counting', () => {
    expect(freeName('a', new Set())).toBe('a');
    expect(freeName('a', new Set(['a', 'a 2']))).toBe('a 3');
  });
});
