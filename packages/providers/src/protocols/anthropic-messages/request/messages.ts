import type { NodeId } from '@bough/core';
import type { Note, SentBlock } from './fragments.ts';

/** What one item becomes. Results come first in the message that it joins. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly isResult: boolean;
  readonly nodeId: NodeId;
  /** Names how it is sent: what has the same name has the same bytes. */
  readonly how: string;
  readonly blocks: readonly SentBlock[];
  readonly notes: readonly Note[];
}

/** One message of the request: its content blocks as JSON text. */
export interface MessageText {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly string[];
  /** The node that its first block came from, to report what is done to the message. */
  readonly nodeId: NodeId;
}

/**
 * The API refuses a message that ends with a thought. What ends a message shows only once it is known which replies join in
 * it and whether any of them says something behind the thought.
 */
export function withoutLastThoughts(pieces: readonly Piece[]): readonly Piece[] {
  let isSpoken = false;
  return pieces
    .toReversed()
    .map((piece) => {
      if (piece.blocks.length === 0) return piece;
      if (piece.role === 'user') {
        isSpoken = false;
        return piece;
      }
      const end = isSpoken ? piece.blocks.length : piece.blocks.findLastIndex(({ thought }) => thought === null) + 1;
      isSpoken ||= end > 0;
      if (end === piece.blocks.length) return piece;
      const note: Note = {
        reason: 'thinking_not_replayable',
        detail: 'A message cannot end with a thought; the last one is not sent.',
      };
      return {
        ...piece,
        blocks: piece.blocks.slice(0, end),
        how: `${piece.how}:${end}`,
        notes: [...piece.notes, note],
      };
    })
    .toReversed();
}

/** Neighbours of one role become one message, results first; a message of which nothing is left is not sent. */
export function joinPieces(pieces: readonly Piece[]): readonly MessageText[] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    if (piece.blocks.length === 0) continue;
    const last = runs.at(-1);
    if (last?.[0]?.role === piece.role) last.push(piece);
    else runs.push([piece]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined) return [];
    const ordered = [...run.filter((piece) => piece.isResult), ...run.filter((piece) => !piece.isResult)];
    const blocks = ordered.flatMap((piece) => piece.blocks.map(({ text }) => text));
    return [{ role: first.role, nodeId: first.nodeId, blocks }];
  });
}
