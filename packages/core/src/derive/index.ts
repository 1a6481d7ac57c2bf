import type { ContentBlock } from '../blocks/index.ts';
import {
  isNonEmpty,
  isReasoningBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
} from '../blocks/index.ts';
import { legacyToContentBlocks, type LegacyThinking, thinkingTraceToBlocks } from '../legacy/index.ts';

/**
 * The text of a message. Consecutive text blocks are one text that the provider cut (citations, signed parts) and are
 * joined as they are; text blocks with a thought or a tool call between them are paragraphs.
 */
export function deriveTextFromBlocks(blocks: readonly ContentBlock[]): string {
  let text = '';
  let separated = false;
  for (const block of blocks) {
    if (isTextBlock(block)) {
      if (block.text === '') continue;
      text += separated && text !== '' ? `\n\n${block.text}` : block.text;
      separated = false;
    } else if (isToolUseBlock(block) || (isReasoningBlock(block) && !isThinkingSignatureBlock(block))) {
      separated = true;
    }
  }
  return text;
}

/** The readable reasoning of a message, one paragraph per thought; empty if it was redacted, omitted or absent. */
export function deriveThinkingFromBlocks(blocks: readonly ContentBlock[]): string {
  return blocks
    .filter(isThinkingBlock)
    .map((block) => block.thinking)
    .filter((thinking) => thinking !== '')
    .join('\n\n');
}

/** What a stored message may hold: blocks, or the older form of a text with a thinking trace. */
export interface MaybeLegacyContent {
  readonly contentBlocks?: readonly ContentBlock[] | null;
  readonly content?: string | null;
  readonly thinking?: LegacyThinking | null;
}

/** The blocks of a stored message, whatever its age. Blocks win over the older fields, which are derived from them. */
export function getContentBlocksWithLegacyFallback(stored: MaybeLegacyContent): readonly ContentBlock[] {
  const { contentBlocks, content, thinking } = stored;
  if (contentBlocks != null && isNonEmpty(contentBlocks)) return contentBlocks;
  return [...thinkingTraceToBlocks(thinking), ...legacyToContentBlocks(content ?? null)];
}

/**
 * For display and export only: keeps the signature and removes the thought's text.
 * Never for a request: a signature without the text that it signs is rejected.
 */
export function stripThinkingTextIfSignature(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.flatMap((block, index): ContentBlock[] => {
    if (!isThinkingBlock(block)) return [block];
    if (block.signature !== undefined) return [{ type: 'thinking_signature', signature: block.signature }];
    const next = blocks[index + 1];
    return next !== undefined && isThinkingSignatureBlock(next) ? [] : [block];
  });
}
