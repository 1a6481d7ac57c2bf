import type { Citation, CitedPlace, Source } from '@bough/core';
import { citedPlaces, sourcesOf } from '@bough/core';
import type { DocumentGroup } from './content.ts';

/** The sources of one reply, numbered by their place. */
export function sourcesIn({ segments }: Pick<DocumentGroup, 'segments'>): readonly Source[] {
  const items = segments.flatMap((segment) => segment.items);
  return sourcesOf(items.flatMap((item) => (item.type === 'text' ? (item.citations ?? []) : [])));
}

interface CitedText {
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
}

/** A text in pieces, each followed by the numbers of what it cites. */
export function citedPieces(
  { text, citations = [] }: CitedText,
  sources: readonly Source[],
  move: (text: string, end: number) => number = (_, end) => end,
): readonly { readonly text: string; readonly numbers: readonly number[] }[] {
  const places = moved(citedPlaces(citations, sources), (end) => move(text, end));
  let from = 0;
  const pieces = places.map(({ end, numbers }) => {
    const piece = { text: text.slice(from, end), numbers };
    from = Math.max(from, end);
    return piece;
  });
  return from < text.length || pieces.length === 0 ? [...pieces, { text: text.slice(from), numbers: [] }] : pieces;
}

function moved(places: readonly CitedPlace[], move: (end: number) => number): readonly CitedPlace[] {
  const byEnd = new Map<number, readonly number[]>();
  for (const { end, numbers } of places) {
    const to = move(end);
    byEnd.set(
      to,
      [...new Set([...(byEnd.get(to) ?? []), ...numbers])].sort((one, other) => one - other),
    );
  }
  return [...byEnd].map(([end, numbers]) => ({ end, numbers })).sort((one, other) => one.end - other.end);
}

/**
 * What a number must not be put into, in Markdown: fenced code, code in a line, links and pictures, addresses,
 * formulas.
 */
const WHOLE =
  /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?! {0,3}\1)[^\n]*)*(?:\n {0,3}\1[^\n]*)?|(`+)[^`\n]+\2|\(?!?\[[^\]\n]*\]\([^)\s]*\)\)?|<https?:[^>\s]*>|https?:\/\/[^\s)\]]+|\$\$[^$]+\$\$/gm;

/** The next place in a Markdown text at which a number changes nothing of what the text means. */
export function placeInMarkdown(text: string, end: number): number {
  let place = end;
  for (const { index, 0: whole, 1: fence } of text.matchAll(WHOLE)) {
    if (index >= place) break;
    const after = index + whole.length;
    if (place < after || (fence !== undefined && place === after)) place = after;
  }
  // Emphasis that began before the number ends before it, too.
  const [, run = ''] = /^([*_~]+)/.exec(text.slice(place)) ?? [];
  if (run === '') return place;
  const paragraph = text.slice(text.lastIndexOf('\n\n', place) + 1, place);
  return paragraph.split(run).length % 2 === 0 ? place + run.length : place;
}
