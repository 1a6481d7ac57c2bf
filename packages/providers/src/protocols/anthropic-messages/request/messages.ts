import type { NodeId } from '@bough/core';
import type { Note, SentBlock } from './fragments.ts';
import { said, textFragment } from './fragments.ts';

/** What one item becomes. Results come first in the message that it joins. */
export interface Piece {
  readonly role: 'user' | 'assistant' | 'system';
  readonly isResult: boolean;
  /** A reply of this deployment: it was made after what precedes it here. */
  readonly isOwn: boolean;
  /** A reply that its provider paused and wants back unchanged, to continue it in the same message. */
  readonly isPaused: boolean;
  readonly nodeId: NodeId;
  /** Names how it is sent: equal names mean equal bytes. */
  readonly how: string;
  readonly blocks: readonly SentBlock[];
  readonly notes: readonly Note[];
}

/** One message of the request: its content blocks as JSON text. */
export interface MessageText {
  readonly role: Piece['role'];
  readonly blocks: readonly string[];
  /** The node that its first block came from, for reporting what is done to the message. */
  readonly nodeId: NodeId;
}

/**
 * The API refuses a message that ends with a thought. Only a paused reply may end with one, if the provider continued
 * after it.
 */
export function withoutLastThoughts(pieces: readonly Piece[]): readonly Piece[] {
  if (!pieces.some(endsWithThought)) return pieces;
  const next = spokenBehind(pieces);
  return pieces.map((piece, at) => {
    if (!endsWithThought(piece) || (piece.isPaused && next[at]?.role === 'assistant')) return piece;
    const end = piece.blocks.findLastIndex(({ thought }) => thought === null) + 1;
    const note: Note = {
      reason: 'thinking_not_replayable',
      detail: 'A message cannot end with a thought; the last one is not sent.',
    };
    return { ...piece, blocks: piece.blocks.slice(0, end), how: `${piece.how}:${end}`, notes: [...piece.notes, note] };
  });
}

const endsWithThought = ({ blocks }: Piece): boolean => (blocks.at(-1)?.thought ?? null) !== null;

/** For each piece the next one that says something. */
function spokenBehind(pieces: readonly Piece[]): readonly (Piece | undefined)[] {
  const behind: (Piece | undefined)[] = [];
  let next: Piece | undefined;
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    behind[at] = next;
    const piece = pieces[at];
    // Instructions get a place of their own: nobody speaks them.
    if (piece !== undefined && piece.role !== 'system' && piece.blocks.length > 0) next = piece;
  }
  return behind;
}

const GO_ON = 'Continue.';

/**
 * The API wants the user to have the last word. If the history ends with a reply (a tool loop that became text for
 * another model), a user message asks it to continue. Every later request repeats that message, because the reply was
 * made after it. A request for a summary wants no answer, and may end with a reply.
 */
export function withUserSpeaking(pieces: readonly Piece[], isAnswered: boolean): readonly Piece[] {
  const behind = spokenBehind(pieces);
  const isUnheard = (piece: Piece, at: number): boolean => {
    if (piece.role !== 'assistant' || piece.isPaused || piece.blocks.length === 0) return false;
    const next = behind[at];
    if (next === undefined) return isAnswered;
    return next.role === 'assistant' && next.isOwn && next.nodeId !== piece.nodeId;
  };
  if (!pieces.some(isUnheard)) return pieces;
  return pieces.flatMap((piece, at) => {
    if (!isUnheard(piece, at)) return [piece];
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

/**
 * The API takes instructions only right after the user has spoken. Those that precede a message of the user follow it:
 * the reply comes after both.
 */
export function withSystemPlaced(pieces: readonly Piece[]): readonly Piece[] {
  if (!pieces.some(({ role }) => role === 'system')) return pieces;
  const placed: Piece[] = [];
  let waiting: Piece[] = [];
  let isHeard = false;
  for (const piece of pieces) {
    if (piece.role === 'system') {
      waiting.push(piece);
      continue;
    }
    if (piece.blocks.length > 0 && piece.role === 'assistant' && isHeard) {
      placed.push(...waiting);
      waiting = [];
    }
    if (piece.blocks.length > 0) isHeard = piece.role === 'user';
    placed.push(piece);
  }
  const last = placed.findLastIndex(({ role, blocks }) => role === 'user' && blocks.length > 0) + 1;
  return [...placed.slice(0, last), ...waiting, ...placed.slice(last)];
}

/** A piece with its content blocks as they are sent. */
export interface WrittenPiece {
  readonly piece: Piece;
  readonly blocks: readonly string[];
}

/** Neighbours of the same role become one message, results first; a message with nothing left in it is not sent. */
export function joinPieces(pieces: readonly WrittenPiece[]): readonly MessageText[] {
  const messages: MessageText[] = [];
  let run: WrittenPiece[] = [];
  const close = (): void => {
    const [first] = run;
    if (first !== undefined) messages.push(messageOf(first, run));
    run = [];
  };
  for (const written of pieces) {
    if (written.blocks.length === 0) continue;
    if (run[0]?.piece.role !== written.piece.role) close();
    run.push(written);
  }
  close();
  return messages;
}

function messageOf({ piece }: WrittenPiece, run: readonly WrittenPiece[]): MessageText {
  const ordered = [...run.filter((part) => part.piece.isResult), ...run.filter((part) => !part.piece.isResult)];
  return { role: piece.role, nodeId: piece.nodeId, blocks: ordered.flatMap((part) => part.blocks) };
}
