import { describe, expect, it } from 'vitest';
import { MAX_COLOURED, MAX_ELEMENTS, MAX_NESTING } from './bounds.ts';
import type { Tree } from './tree.ts';
import { treeOf } from './tree.ts';

/** The tags of a tree in document order. */
function tagsOf(tree: Tree | undefined): readonly string[] {
  if (tree === undefined || typeof tree === 'string') return [];
  return [tree.tag, ...tree.children.flatMap(tagsOf)].filter((tag) => tag !== '');
}
function textOf(tree: Tree): string {
  return typeof tree === 'string' ? tree : tree.children.map(textOf).join('');
}
const shown = (source: string): Tree => treeOf(source)?.tree ?? '';

describe('a formatted block', () => {
  it('WEB-3: is data that a thread can hand over', () => {
    const { tree } = treeOf('**a** $$b^2$$ `c`\n\n```js\nlet d;\n```\n\n| e |\n|---|\n| f |') ?? { tree: '' };
    expect(structuredClone(tree)).toEqual(tree);
    expect(tagsOf(tree)).toEqual(expect.arrayContaining(['strong', 'math', 'code', 'pre', 'table', 'td']));
  });

  it('WEB-3: HTML is text', () => {
    const html = '<b onclick="x()">bold</b> and <script>y()</script>';
    expect(tagsOf(shown(html))).toEqual(['p']);
    expect(textOf(shown(html))).toBe(html);
  });

  it.each([
    ['quotes', (depth: number) => '> '.repeat(depth)],
    ['lists', (depth: number) => '- '.repeat(depth)],
    ['both in turns', (depth: number) => '> - '.repeat(depth / 2)],
  ])('WEB-33: nests %s up to a bound, and not beyond', (_, nested) => {
    expect(treeOf(`${nested(MAX_NESTING)}words`)).not.toBeNull();
    expect(treeOf(`${nested(MAX_NESTING + 2)}words`)).toBeNull();
  });

  it('WEB-33: has so many elements and not more', () => {
    const row = (cell: string): string => `|${`${cell}|`.repeat(100)}\n`;
    const table = (rows: number): string => row('a') + row('-') + row('b').repeat(rows);
    expect(treeOf(table(9))?.elements).toBeGreaterThan(1_000);
    expect(treeOf(table(MAX_ELEMENTS / 100))).toBeNull();
  });

  it('WEB-33: formulas in each other count too', () => {
    const nested = (depth: number): string => `$$${'\\sqrt{'.repeat(depth)}x${'}'.repeat(depth)}$$`;
    expect(treeOf(nested(5))).not.toBeNull();
    expect(treeOf(nested(100))).toBeNull();
  });

  it('WEB-33: long code keeps its text and loses its colours', () => {
    const code = (lines: number): string => `\`\`\`js\n${'let a = 1;\n'.repeat(lines)}\`\`\``;
    expect(tagsOf(shown(code(10)))).toContain('span');
    const long = shown(code(MAX_COLOURED / 10));
    expect(tagsOf(long)).toEqual(['pre', 'code']);
    expect(textOf(long)).toBe('let a = 1;\n'.repeat(MAX_COLOURED / 10));
  });

  it('WEB-84: a line break is one, also in a table; every other HTML is text', () => {
    const table = shown('| a | b |\n|---|---|\n| one<br>two<BR/>three | <b>x</b> |');
    expect(tagsOf(table).filter((tag) => tag === 'br')).toHaveLength(2);
    expect(tagsOf(table)).not.toContain('b');
    expect(textOf(table)).toContain('<b>x</b>');
  });
});
