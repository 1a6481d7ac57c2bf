import { describe, expect, it } from 'vitest';
import { markdownBlocks } from './blocks.ts';
import { MARK, marksWithin, withMarks } from './marks.ts';
import type { Tree } from './tree.ts';
import { treeOf } from './tree.ts';

/** What is read: the words, with the numbers in brackets and the elements that matter by name. */
function read(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  if (tree.tag === MARK) return `⟦${String(tree.props['numbers'])}⟧`;
  const inner = tree.children.map(read).join('');
  return ['a', 'strong', 'code', 'pre', 'p', 'li', 'td'].includes(tree.tag)
    ? `<${tree.tag}>${inner}</${tree.tag}>`
    : inner;
}

/** The text with a number behind each of the words. */
function marked(text: string, ...words: readonly string[]): string {
  const marks = words.map((word, index) => ({ end: text.indexOf(word) + word.length, numbers: [index + 1] }));
  let start = 0;
  return markdownBlocks(text)
    .map((block) => {
      const formatted = treeOf(block.source);
      if (formatted === null) throw new Error('It is small enough.');
      const own = marksWithin(marks, start, block.text);
      start += block.text.length;
      return read(withMarks(formatted.tree, own));
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('numbers of citations', () => {
  it.each([
    ['between words', 'One two three.', ['two'], '<p>One two⟦1⟧ three.</p>'],
    ['at the end', 'One two.', ['two.'], '<p>One two.⟦1⟧</p>'],
    ['behind emphasis', 'A **bold.** word', ['**bold.**'], '<p>A <strong>bold.⟦1⟧</strong> word</p>'],
    ['before emphasis', 'A **bold** word', ['A'], '<p>A⟦1⟧ <strong>bold</strong> word</p>'],
    ['inside a link', 'See [the page](https://a.example/x) now', ['a.exam'], '<p>See <a>the page</a>⟦1⟧ now</p>'],
    ['inside code', 'Run `npm install` now', ['npm'], '<p>Run <code>npm install</code>⟦1⟧ now</p>'],
    ['in two blocks', 'One.\n\nTwo.', ['One.', 'Two.'], '<p>One.⟦1⟧</p><p>Two.⟦2⟧</p>'],
    ['twice in one text', 'One two three.', ['One', 'three'], '<p>One⟦1⟧ two three⟦2⟧.</p>'],
    ['behind a formula', 'So $x^2$ holds. And more.', ['holds.'], 'holds.⟦1⟧ And more.</p>'],
    ['with an escape', String.raw`A \* star here.`, ['star'], '<p>A * star here.⟦1⟧</p>'],
  ])('WEB-150: stand %s', (_, text, words, expected) => {
    expect(marked(text, ...words)).toContain(expected);
  });

  it('WEB-150: stand in the cell of a table and in the item of a list', () => {
    expect(marked('| a | b |\n|---|---|\n| oak | elm |', 'oak')).toContain('<td>oak⟦1⟧</td><td>elm</td>');
    expect(marked('- oak\n- elm\n', 'oak')).toContain('<li>oak⟦1⟧</li>');
  });

  it('WEB-150: never change code: they stand below it', () => {
    const shown = marked('```js\nlet tree;\n```\n', 'let tr');
    expect(shown.replaceAll(/<\/?(span|code)[^>]*>/g, '')).toContain('let tree; </pre><p>⟦1⟧</p>');
  });

  it('WEB-150: leave a text without any as it is', () => {
    const tree = treeOf('One')?.tree ?? '';
    expect(withMarks(tree, [])).toBe(tree);
  });
});
