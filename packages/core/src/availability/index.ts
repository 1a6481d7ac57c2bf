import type { ContentBlock } from '../blocks/index.ts';
import { isReasoningBlock, isRedactedThinkingBlock, isThinkingBlock } from '../blocks/index.ts';
import type { Availability, NodeThinking } from '../entities/index.ts';

/**
 * What a reply really shows. What its model is expected to show decides only what the blocks cannot: whether readable
 * thinking is complete or a summary.
 */
export function observedAvailability(
  blocks: readonly ContentBlock[],
  expected: Availability,
  truncated = false,
): Availability {
  const readable = blocks.some((block) => isThinkingBlock(block) && block.thinking !== '');
  const redacted = blocks.some(isRedactedThinkingBlock);
  if (truncated || (readable && redacted)) return 'partial';
  if (redacted) return 'redacted';
  if (!readable) return 'none';
  return expected === 'summary' ? 'summary' : 'full';
}

/**
 * Null if the reply has no reasoning at all: there is nothing to say about it, and no badge. Some providers show none
 * of it and only count its tokens.
 */
export function thinkingOf(
  blocks: readonly ContentBlock[],
  expected: Availability,
  truncated: boolean,
  reasoningTokens = 0,
): NodeThinking | null {
  if (reasoningTokens === 0 && !blocks.some(isReasoningBlock)) return null;
  return { availability: observedAvailability(blocks, expected, truncated), truncated };
}

export const THINKING_CAP_BYTES = 64 * 1024;

/**
 * Cuts the readable thinking of one reply to a number of UTF-8 bytes, at a character boundary. A block that was cut
 * loses its signature, so that the signature is never paired with a text that it does not sign. Raw is never cut.
 */
export function capThinking(
  blocks: readonly ContentBlock[],
  capBytes = THINKING_CAP_BYTES,
): { readonly blocks: readonly ContentBlock[]; readonly truncated: boolean } {
  let left = capBytes;
  let truncated = false;
  const capped = blocks.map((block): ContentBlock => {
    if (!isThinkingBlock(block)) return block;
    const { end, bytes } = fitting(block.thinking, left);
    if (end === block.thinking.length) {
      left -= bytes;
      return block;
    }
    truncated = true;
    left = 0;
    return { type: 'thinking', thinking: block.thinking.slice(0, end) };
  });
  return truncated ? { blocks: capped, truncated } : { blocks, truncated };
}

/**
 * What a reply is stored as: its blocks with the thinking capped. A reply that says nothing at all becomes one empty
 * text, because a message is never empty. Code that derives canonical blocks from raw again must use this too, or the
 * result would differ from what was stored.
 */
export function canonicalBlocks(
  blocks: readonly ContentBlock[],
  capBytes = THINKING_CAP_BYTES,
): { readonly blocks: readonly ContentBlock[]; readonly truncated: boolean } {
  return blocks.length === 0
    ? { blocks: [{ type: 'text', text: '' }], truncated: false }
    : capThinking(blocks, capBytes);
}

/**
 * How much of the text fits into `most` UTF-8 bytes: where it ends, at a character boundary, and how many bytes it
 * takes.
 */
function fitting(text: string, most: number): { readonly end: number; readonly bytes: number } {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (bytes + size > most) break;
    bytes += size;
    end += size === 4 ? 2 : 1;
  }
  return { end, bytes };
}

export type Badge = 'Hidden by provider' | 'Summary only' | 'Redacted' | 'Partial';

/** The badge for a reply's reasoning; null if all of it can be read, or if there is none. */
export function badgeOf(thinking: NodeThinking | null): Badge | null {
  if (thinking === null) return null;
  if (thinking.truncated) return 'Partial';
  switch (thinking.availability) {
    case 'none':
      return 'Hidden by provider';
    case 'summary':
      return 'Summary only';
    case 'redacted':
      return 'Redacted';
    case 'partial':
      return 'Partial';
    case 'full':
      return null;
  }
}
