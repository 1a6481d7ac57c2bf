import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';

describe('the words of a message in the graph', () => {
  it.each([
    ['## A *tour* of **Markdown**', 'A tour of Markdown'],
    ['- [a link](https://example.org), and `code`.', 'a link, and code.'],
    ['```ts\nlet a = 1;\n```', 'let a = 1;'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a b 1 2'],
    ['snake_case and 2 * 3 stay', 'snake_case and 2 * 3 stay'],
    ['', ''],
  ])('WEB-89: have no marks: %s', (content, words) => {
    expect(excerptOf(content)).toBe(words);
  });

  it('WEB-89: end in an ellipsis if there are more', () => {
    expect(excerptOf('word '.repeat(40))).toMatch(/^(word ){11}word…$/);
  });
});
