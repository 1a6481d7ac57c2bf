import { foldLine } from './fold.ts';
import type { Lexeme } from './lexemes.ts';
import { continuesWord } from './lexemes.ts';

/** Something to look for: a word, a phrase, a token of code. */
export interface SearchTerm {
  /** Folded, with single spaces. */
  readonly literal: string;
  /** Its last word may go on: the word that is being typed. */
  readonly prefix: boolean;
  /** What an index must have for a text in which it occurs. */
  readonly lexemes: readonly Lexeme[];
}

/** Where a term occurs in a folded line from a place on, or -1. A word does not occur in the middle of another one. */
export function findTerm(line: string, { literal, prefix }: SearchTerm, from = 0): number {
  const first = firstOf(literal);
  const last = lastOf(literal);
  for (let at = line.indexOf(literal, from); at >= 0; at = line.indexOf(literal, at + 1)) {
    const end = at + literal.length;
    const begins = !continuesWord(first) || !continuesWord(lastOf(line.slice(Math.max(0, at - 2), at)));
    const ends = prefix || !continuesWord(last) || !continuesWord(firstOf(line.slice(end, end + 2)));
    if (begins && ends) return at;
  }
  return -1;
}

/**
 * Which of the texts have what is looked for: every term must occur in one of them, and nothing that is to be left out
 * in any. Null where they do not match.
 */
export function matchTexts(
  texts: readonly string[],
  terms: readonly SearchTerm[],
  without: readonly SearchTerm[],
): readonly number[] | null {
  const lines = texts.map(foldLine);
  if (without.some((term) => lines.some((line) => findTerm(line, term) >= 0))) return null;
  const found = new Set<number>();
  for (const term of terms) {
    const places = lines.flatMap((line, index) => (findTerm(line, term) >= 0 ? [index] : []));
    if (places.length === 0) return null;
    for (const place of places) found.add(place);
  }
  return [...found].sort((a, b) => a - b);
}

const firstOf = (text: string): string => text.slice(0, (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);

function lastOf(text: string): string {
  const code = text.charCodeAt(text.length - 1);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? -2 : -1);
}
