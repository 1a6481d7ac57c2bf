import type { NodeId } from '@bough/core';
import type { Note, SentBlock } from './fragments.ts';
import { said, textFragment } from './fragments.ts';

/** What one item becomes. Results come first in the message that it joins. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly isResult: boolean;
  /** A reply of this deployment: it was made behind what stands before it here. */
  readonly isOwn: boolean;
  /** A reply that its provider paused and wants back as it is, to go on with it in the same message. */
  readonly isPaused: boolean;
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

/** The API refuses a message that ends with a thought. Only a paused reply may, where the provider went on behind it. */
export function withoutLastThoughts(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, at) => {
    const next = pieces.slice(at + 1).find(({ blocks }) => blocks.length > 0);
    if (piece.isPaused && next?.role === 'assistant') return piece;
    const end = piece.blocks.findLastIndex(({ thought }) => thought === null) + 1;
    if (end === piece.blocks.length) return piece;
    const note: Note = {
      reason: 'thinking_not_replayable',
      detail: 'A message cannot end with a thought; the last one is not sent.',
    };
    return { ...piece, blocks: piece.blocks.slice(0, end), how: `${piece.how}:${end}`, notes: [...piece.notes, note] };
  });
}

const GO_ON = 'Continue.';

/**
 * The API wants the user to have the last word. Where the history ends with a reply (a tool loop that became text for another
 * model), the user is made to say that it should go on, and says so again in every later request: the reply was made behind it.
 */
export function withUserSpeaking(pieces: readonly Piece[]): readonly Piece[] {
  const spoken = pieces.filter(({ blocks }) => blocks.length > 0);
  return pieces.flatMap((piece) => {
    const at = spoken.indexOf(piece);
    const next = spoken[at + 1];
    const isHeard = next === undefined || (next.role === 'assistant' && next.isOwn && next.nodeId !== piece.nodeId);
    if (at < 0 || piece.role === 'user' || piece.isPaused || !isHeard) return [piece];
    const detail = `Behind this reply the user is made to say “${GO_ON}”, because a reply must not be the last word.`;
    const word: Piece = {
      role: 'user',
      isResult: false,
      isOwn: false,
      isPaused: false,
      nodeId: piece.nodeId,
      how: 'go-on',
      blocks: [said(textFragment(GO_ON))],
      notes: [{ reason: 'repaired', detail }],
    };
    return [piece, word];
  });
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
