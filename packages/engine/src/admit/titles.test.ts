import { describe, expect, it } from 'vitest';
import { titleFrom, UNTITLED } from './titles.ts';

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
});
