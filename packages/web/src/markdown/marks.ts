import { withDisplayMath } from './display-math.ts';
import type { Tree, TreeElement } from './tree.ts';

/** Numbers that stand after a place in a text. */
export interface Mark {
  readonly end: number;
  readonly numbers: readonly number[];
}

export const MARK = 'cite-mark';

/** The marks of one block of a text: the block begins at `start`, and is shown from a source with other formulas. */
export function marksWithin(marks: readonly Mark[], start: number, text: string): readonly Mark[] {
  return marks.flatMap(({ end, numbers }) => {
    const offset = end - start;
    if (offset <= 0 || offset > text.length) return [];
    return [{ end: withDisplayMath(text.slice(0, offset)).length, numbers }];
  });
}

/**
 * A formatted block with its marks. They are put between what is already formatted, never into the source: a number in
 * the middle of an address, of code or just behind two asterisks would change what the text means.
 */
export function withMarks(tree: Tree, marks: readonly Mark[]): Tree {
  if (marks.length === 0 || typeof tree === 'string') return tree;
  const { places } = tree;
  if (places === undefined || tree.children.length === 0)
    return { ...tree, children: [...tree.children, ...marks.map(markOf)] };
  const byChild = new Map<number, Mark[]>();
  for (const mark of marks) {
    const at = childAt(mark.end, places, tree.children.length);
    byChild.set(at, [...(byChild.get(at) ?? []), mark]);
  }
  const children = tree.children.flatMap((child, at): readonly Tree[] => {
    const own = byChild.get(at);
    return own === undefined ? [child] : marked(child, own, places[2 * at] ?? -1, places[2 * at + 1] ?? -1);
  });
  // The places are no longer those of the children.
  const { places: _, ...rest } = tree;
  return { ...rest, children };
}

/** The child that holds a place, or else the last that ends before it. */
function childAt(offset: number, places: readonly number[], count: number): number {
  let before = 0;
  for (let at = 0; at < count; at += 1) {
    const [start, end] = [places[2 * at] ?? -1, places[2 * at + 1] ?? -1];
    if (start < 0) continue;
    if (start < offset && offset <= end) return at;
    if (end <= offset) before = at;
  }
  return before;
}

function marked(child: Tree, marks: readonly Mark[], start: number, end: number): readonly Tree[] {
  if (typeof child === 'string') return split(child, marks, start, end);
  if (child.tag === 'pre') return [child, { tag: 'p', props: {}, children: marks.map(markOf) }];
  // Code, links, formulas and pictures stay whole; so does a rule.
  if (child.places === undefined) return [child, ...marks.map(markOf)];
  return [
    withMarks(
      child,
      marks.map((mark) => ({ ...mark, end: Math.min(mark.end, end < 0 ? mark.end : end) })),
    ),
  ];
}

function split(text: string, marks: readonly Mark[], start: number, end: number): readonly Tree[] {
  // A text that was written with escapes is not as long as its source: then the numbers stand at its end.
  if (end - start !== text.length) return [text, ...marks.map(markOf)];
  const pieces: Tree[] = [];
  let from = 0;
  for (const mark of marks) {
    const to = Math.min(Math.max(mark.end - start, from), text.length);
    if (to > from) pieces.push(text.slice(from, to));
    pieces.push(markOf(mark));
    from = to;
  }
  return from < text.length ? [...pieces, text.slice(from)] : pieces;
}

function markOf({ numbers }: Mark): TreeElement {
  return { tag: MARK, props: { numbers }, children: [] };
}
