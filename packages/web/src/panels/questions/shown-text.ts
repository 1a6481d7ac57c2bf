import type { Words } from '@bough/core';
import { QUESTION_LIMITS } from '@bough/core';
import { findQuote } from '../../view/find-quote.ts';

/** What a reply says on the screen, and where in the page each piece of that is. */
export interface ShownText {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** A formula is one piece: its source, which can be marked as a whole only. */
  readonly node: Text | Element;
}

/** What is beside the words, not among them: buttons, numbers of sources, the second form of a formula. */
const LEFT_OUT = 'button, summary, svg, .cite, .code-head, .visually-hidden, .as-written-note, .text-rest';
const FORMULA = '.katex';
const BLOCK = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, dd, dt, div';

/** The words are read from the page, not from the source: emphasis, lists, links and code have no marks there. */
export function shownText(root: Element): ShownText {
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  const add = (node: Text | Element, words: string, holder: Element): void => {
    const own = holder.closest(BLOCK);
    if (own !== block && text !== '' && !text.endsWith('\n')) text += '\n';
    block = own;
    pieces.push({ start: text.length, end: text.length + words.length, node });
    text += words;
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    const isOut = element?.closest(LEFT_OUT) != null || element?.parentElement?.closest(FORMULA) != null;
    return isOut ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) {
      const holder = node.parentElement;
      // Between the items of a list stands a line break that nobody sees.
      const isSeen = node.data.trim() !== '' || !node.data.includes('\n') || holder?.closest('pre') != null;
      if (holder !== null && holder.closest(FORMULA) === null && isSeen) add(node, node.data, holder);
    } else if (node instanceof Element && node.matches(FORMULA)) {
      add(node, node.querySelector('annotation')?.textContent ?? node.textContent, node);
    } else if (node.nodeName === 'BR') text += '\n';
  }
  return { text, pieces };
}

/** The words that a range of the page holds, with what they are found again by; null if it holds none. */
export function wordsIn({ text, pieces }: ShownText, range: Range): Words | null {
  let start: number | null = null;
  let end = 0;
  for (const piece of pieces) {
    if (!range.intersectsNode(piece.node)) continue;
    const isText = piece.node instanceof Text;
    const from = isText && piece.node === range.startContainer ? piece.start + range.startOffset : piece.start;
    const to = isText && piece.node === range.endContainer ? piece.start + range.endOffset : piece.end;
    if (to <= from) continue;
    start ??= from;
    end = to;
  }
  if (start === null) return null;
  const quote = text.slice(start, end);
  const at = start + (quote.length - quote.trimStart().length);
  const { around } = QUESTION_LIMITS;
  if (quote.trim() === '') return null;
  return {
    quote: quote.trim(),
    before: text.slice(Math.max(0, at - around), at),
    after: text.slice(at + quote.trim().length, at + quote.trim().length + around),
    offset: at,
  };
}

/** Where words stand in the page; null if they are not in it. */
export function rangeOf({ text, pieces }: ShownText, words: Words): Range | null {
  const found = findQuote(text, words);
  if (found === null) return null;
  const first = pieces.find(({ end }) => end > found.start);
  const last = pieces.findLast(({ start }) => start < found.end);
  if (first === undefined || last === undefined) return null;
  const range = document.createRange();
  if (first.node instanceof Text) range.setStart(first.node, Math.max(0, found.start - first.start));
  else range.setStartBefore(first.node);
  if (last.node instanceof Text) range.setEnd(last.node, Math.min(found.end, last.end) - last.start);
  else range.setEndAfter(last.node);
  return range;
}
