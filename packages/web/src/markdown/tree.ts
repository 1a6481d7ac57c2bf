import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import rehypeHighlight from 'rehype-highlight';
import rehypeKatex from 'rehype-katex';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { MAX_COLOURED, MAX_DEPTH, MAX_ELEMENTS, MAX_NESTING } from './bounds.ts';

/**
 * What a text looks like, as data that one thread can pass to another: `tag` is empty for a node that only groups its
 * children.
 */
export interface TreeElement {
  readonly tag: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly children: readonly Tree[];
  /**
   * Where each child begins and ends in the source, two numbers each, -1 if that is unknown; absent where nothing is
   * ever put between the children (code, links, formulas).
   */
  readonly places?: readonly number[];
}
export type Tree = string | TreeElement;

export interface Formatted {
  readonly tree: Tree;
  readonly elements: number;
}

const plain = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath, { singleDollarTextMath: false })
  // Models write anything: HTML is shown as text, never rendered. A line break is the only way to have one in a table.
  .use(remarkRehype, { handlers: { html: (_, { value }: { readonly value: string }) => htmlAsText(value) } })
  .use(rehypeKatex, { strict: 'ignore', trust: false })
  .freeze();
const coloured = plain().use(rehypeHighlight, { detect: false, ignoreMissing: true }).freeze();

/**
 * Formats a block; null if it is too large or too deeply nested for a page. May take any amount of time and stack, so
 * it must run on its own thread.
 */
export function treeOf(source: string): Formatted | null {
  const processor = source.length > MAX_COLOURED ? plain : coloured;
  const root = processor.runSync(processor.parse(source));
  const elements = countWithin(root);
  if (elements === null) return null;
  const noted = notePlaces(root);
  const make = (tag: unknown, { children, [NOTED]: note, ...props }: Record<string, unknown>): TreeElement => {
    const places = tag === '' ? noted[0] : note === undefined ? undefined : noted[Number(note)];
    return {
      tag: String(tag),
      props,
      children: (Array.isArray(children) ? children : children === undefined ? [] : [children]) as readonly Tree[],
      ...(places === undefined ? {} : { places }),
    };
  };
  // Typed as a React element, whatever `jsx` returns: here it is what `make` returns.
  const tree = toJsxRuntime(root, { Fragment: '', jsx: make, jsxs: make, ignoreInvalidStyle: true }) as unknown as Tree;
  return { tree, elements };
}

type Shown = Extract<Parameters<typeof toJsxRuntime>[0], { readonly type: 'element' | 'text' }>;

function htmlAsText(value: string): Shown {
  return /^<br\s*\/?>$/i.test(value)
    ? { type: 'element', tagName: 'br', properties: {}, children: [] }
    : { type: 'text', value };
}

type Root = ReturnType<typeof coloured.runSync>;
type Part = Root | Root['children'][number];
/** The attribute that says which of the noted places are an element's own; it never reaches the page. */
const NOTED = 'data-places';
/** Nothing is put into the middle of these. */
const WHOLE = new Set(['a', 'code', 'pre', 'img', 'svg', 'math']);
const TABLE = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr']);

/** Where the children of every element come from, the root's first. Recursive, after the depth was limited. */
function notePlaces(root: Root): readonly (readonly number[])[] {
  const noted: number[][] = [];
  const note = (part: Extract<Part, { readonly children: unknown }>): void => {
    // Blanks between the rows of a table do not become children.
    const bare = part.type === 'element' && TABLE.has(part.tagName);
    const children = part.children.filter((child) => !(bare && child.type === 'text'));
    const start = noted.push([]) - 1;
    if (part.type === 'element') part.properties[NOTED] = String(start);
    noted[start] = children.flatMap(({ position }) => [position?.start.offset ?? -1, position?.end.offset ?? -1]);
    for (const child of children) {
      if (child.type === 'element' && !WHOLE.has(child.tagName) && !isFormula(child)) note(child);
    }
  };
  note(root);
  return noted;
}

function isFormula({ properties }: Extract<Part, { readonly type: 'element' }>): boolean {
  const names = properties['className'];
  return Array.isArray(names) && names.some((name: unknown) => String(name).startsWith('katex'));
}

const NESTING = new Set(['blockquote', 'ul', 'ol']);

/** The number of elements; null above a limit. Not recursive: it looks for exactly what recursion fails on. */
function countWithin(root: Root): number | null {
  const open: { readonly part: Part; readonly depth: number; readonly nesting: number }[] = [
    { part: root, depth: 0, nesting: 0 },
  ];
  let elements = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, depth } = next;
    if (part.type !== 'text') elements += 1;
    const nesting = next.nesting + (part.type === 'element' && NESTING.has(part.tagName) ? 1 : 0);
    if (elements > MAX_ELEMENTS || depth > MAX_DEPTH || nesting > MAX_NESTING) return null;
    if ('children' in part) for (const child of part.children) open.push({ part: child, depth: depth + 1, nesting });
  }
  return elements;
}
