import { describe, expect, it } from 'vitest';
import { markdownBlocks } from './blocks.ts';

const sourcesOf = (text: string) => markdownBlocks(text).map(({ source }) => source);

describe('the blocks of a text', () => {
  it('WEB-3: a text is cut into blocks that give the text again', () => {
    const text = '# A\n\nb\nc\n\n- d\n- e\n\n```\n$x$\n```\n';
    expect(markdownBlocks(text)).toHaveLength(4);
    expect(
      markdownBlocks(text)
        .map((block) => block.text)
        .join(''),
    ).toBe(text);
  });

  it('WEB-3: so does every beginning of it, whatever it ends with', () => {
    const text =
      'See: \n\n1. The root  carries.\n2. What was said\n   - before, \n\n> and *after*  \n\n```ts\nlet a = 1; \n```\n\n| a | b |\n|---|---|\n| 1 | 2 | ';
    for (let end = 1; end <= text.length; end += 1) {
      const beginning = text.slice(0, end);
      expect(
        markdownBlocks(beginning)
          .map((block) => block.text)
          .join(''),
      ).toBe(beginning);
    }
  });

  it('WEB-3: a long list grows by its last piece, and its numbers go on', () => {
    const list = Array.from({ length: 25 }, (_, index) => `${index + 1}. item`).join('\n');
    const pieces = sourcesOf(list);
    expect(pieces.map((piece) => piece.split('\n')[0])).toEqual(['1. item', '11. item', '21. item']);
    expect(pieces.join('')).toBe(list);
    expect(sourcesOf(`${list} and more`).slice(0, 2)).toEqual(pieces.slice(0, 2));
  });

  it('WEB-3: a text with footnotes stays whole, because they reach across blocks', () => {
    expect(markdownBlocks('a[^1]\n\nb\n\n[^1]: c')).toHaveLength(1);
  });

  it.each([
    ['so $e^{i\\pi} = -1$ holds', 'so $$e^{i\\pi} = -1$$ holds'],
    ['so \\(x\\) holds', 'so $$x$$ holds'],
    ['from $5 to $10', 'from $5 to $10'],
    ['code `$a$` stays', 'code `$a$` stays'],
    ['already $$x$$', 'already $$x$$'],
    ['$$x^2$$', '$$\nx^2\n$$'],
    ['so\n$$x^2$$\nholds', 'so\n$$\nx^2\n$$\nholds'],
    ['- item\n  $$x$$', '- item\n  $$\n  x\n  $$'],
  ])('WEB-3: mathematics is told from money: %s', (text, expected) => {
    expect(sourcesOf(text).join('')).toBe(expected);
  });
});
