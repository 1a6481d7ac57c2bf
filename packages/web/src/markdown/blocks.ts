import type { Token, Tokens } from 'marked';
import { marked } from 'marked';
import { withDisplayMath } from './display-math.ts';

export interface Block {
  /** As it was written, including the empty lines after it: all blocks joined are the text. */
  readonly text: string;
  /** In the form that the renderer accepts. */
  readonly source: string;
}

/**
 * Splits a text into the blocks that are rendered one by one, so that a growing text re-renders only its last one. A
 * text with definitions (footnotes, link targets) stays whole: they work across blocks.
 */
export function markdownBlocks(text: string): readonly Block[] {
  if (/^ {0,3}\[[^\]\n]+\]:/m.test(text)) return [{ text, source: withDisplayMath(text) }];
  const blocks: Block[] = [];
  for (const token of marked.lexer(text)) {
    const before = blocks.at(-1);
    if (token.type !== 'space') blocks.push(...blocksOf(token));
    else if (before !== undefined) blocks[blocks.length - 1] = { ...before, text: before.text + token.raw };
  }
  return blocks.map(({ text: written }) => written).join('') === text ? blocks : aligned(blocks, text);
}

/**
 * The lexer drops a space at the end of a list, or turns it into a line break. A streaming reply ends in a space at
 * every other word and continues after it: the words would run together.
 */
function aligned(blocks: readonly Block[], text: string): readonly Block[] {
  const starts: number[] = [];
  let from = 0;
  for (const { text: written } of blocks) {
    const piece = written.trimEnd();
    const start = text.indexOf(piece, from);
    // Line ends of another system, which the lexer rewrites: only the look of some empty lines is lost.
    if (start < 0) return blocks;
    starts.push(start);
    from = start + piece.length;
  }
  return blocks.map((block, at) => ({ ...block, text: text.slice(at === 0 ? 0 : starts[at], starts[at + 1]) }));
}

function blocksOf(token: Token): readonly Block[] {
  if (token.type === 'code') return [{ text: token.raw, source: token.raw }];
  const pieces = isList(token) ? listPieces(token) : [token.raw];
  return pieces.map((piece) => ({ text: piece, source: withDisplayMath(piece) }));
}

const LIST_PIECE = 10;

/**
 * A long list is split into many blocks: as one, it would be rendered again with every new word. Numbering continues,
 * because each item keeps its own number.
 */
function listPieces(list: Tokens.List): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < list.items.length; from += LIST_PIECE) {
    pieces.push(
      list.items
        .slice(from, from + LIST_PIECE)
        .map((item) => item.raw)
        .join(''),
    );
  }
  return pieces;
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}
