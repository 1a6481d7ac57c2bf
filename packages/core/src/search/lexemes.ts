import { foldText, isAscii } from './fold.ts';

/**
 * What an index keeps of a text: its words, and for scripts that do not separate words every two characters that follow
 * each other, together with the last one of a run. Symbols (emoji, `+`, `>`) stand for themselves. An index is only
 * asked for candidates: whether a text really matches is decided by `match.ts`, so lexemes may say too much, but they
 * never leave out anything that matches.
 */
const PIECE = /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]+|\p{S}/gu;
const ASCII_PIECE = /[a-z0-9]+|[$+<=>^`|~]/g;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Scripts whose words are not told apart by spaces, or in which particles are part of the word (Korean). */
const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー`;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
const SEGMENT = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');
const SYMBOL = /^\p{S}$/u;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

/** Longer words are base64 and the like: their beginnings lead to them. */
const LONGEST = 40;

export interface Lexeme {
  readonly text: string;
  /** Every lexeme that begins like this. */
  readonly prefix: boolean;
}

/** Whether a character continues a word that is written next to it. */
export const continuesWord = (character: string): boolean =>
  character !== '' && WORD_CHARACTER.test(character) && !UNSPACED.test(character);

/** Adds the lexemes of a text to a set. */
export function addLexemes(text: string, to: Set<string>): void {
  if (isAscii(text)) {
    for (const piece of text.toLowerCase().match(ASCII_PIECE) ?? []) to.add(cut(piece));
    return;
  }
  for (const segment of segmentsOf(text)) {
    if (!segment.unspaced) {
      to.add(cut(segment.text));
      continue;
    }
    const characters = Array.from(segment.text);
    for (const [at, character] of characters.entries()) to.add(character + (characters[at + 1] ?? ''));
  }
}

/** The lexemes that every text has in which this literal occurs. `prefix`: its last word may go on. */
export function neededLexemes(literal: string, prefix: boolean): readonly Lexeme[] {
  const segments = segmentsOf(literal);
  const found = segments.flatMap((segment, index): Lexeme[] => {
    if (!segment.unspaced) {
      const open = prefix && index === segments.length - 1 && !segment.symbol && literal.endsWith(segment.text);
      return [{ text: cut(segment.text), prefix: open || isLong(segment.text) }];
    }
    const characters = Array.from(segment.text);
    if (characters.length === 1) return [{ text: segment.text, prefix: true }];
    return characters.slice(1).map((character, at) => ({ text: `${characters[at]}${character}`, prefix: false }));
  });
  return [...new Map(found.map((lexeme) => [`${lexeme.prefix}${lexeme.text}`, lexeme])).values()];
}

interface Segment {
  readonly text: string;
  readonly unspaced: boolean;
  readonly symbol: boolean;
}

function segmentsOf(text: string): readonly Segment[] {
  return (text.match(PIECE) ?? []).flatMap((piece): Segment[] => {
    if (SYMBOL.test(piece)) return [{ text: piece, unspaced: false, symbol: true }];
    // Folding may take a letter apart into several words (a ligature that stands for a phrase).
    const words = foldText(piece).match(WORD) ?? [];
    return words.flatMap((word) =>
      UNSPACED.test(word)
        ? (word.match(SEGMENT) ?? []).map((part) => ({ text: part, unspaced: UNSPACED.test(part), symbol: false }))
        : [{ text: word, unspaced: false, symbol: false }],
    );
  });
}

const isLong = (word: string): boolean => word.length > LONGEST;

function cut(word: string): string {
  if (!isLong(word)) return word;
  const short = word.slice(0, LONGEST);
  // Never through the middle of a character.
  return short.isWellFormed() ? short : short.slice(0, -1);
}
