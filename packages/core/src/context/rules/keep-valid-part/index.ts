import type { ContentBlock } from '../../../blocks/index.ts';
import {
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
  isRedactedThinkingBlock,
} from '../../../blocks/index.ts';
import type { ContextRule } from '../../assembly.ts';
import { drop, KEEP, mapDrafts, replace, resultsBehind, withContent, withItem } from '../../assembly.ts';

/**
 * Only the complete parts of a reply that broke off go back: text, signed thinking, and tool calls that were executed.
 * Providers reject unsigned thinking and calls without a result.
 */
export const keepValidPart: ContextRule = {
  name: 'keep-valid-part',
  apply: (assembly) =>
    mapDrafts(assembly, (draft, index) => {
      if (draft.node.role !== 'assistant' || !draft.node.interrupted) return KEEP;
      const answered = new Set(resultsBehind(assembly.drafts, index).map(({ item }) => item.message.tool_call_id));
      const kept = withContent(
        draft,
        draft.item.message.content.filter((block) => isWhole(block, answered)),
      );
      // Reasoning alone is not a reply: providers reject a message that ends with it.
      if (kept === null || !kept.item.message.content.some(isSubstance)) return drop('interrupted_reply');
      return replace(withItem(kept, { partial: true }), 'interrupted_reply');
    }),
};

function isWhole(block: ContentBlock, answered: ReadonlySet<string>): boolean {
  if (isToolUseBlock(block)) return answered.has(block.id);
  if (isTextBlock(block)) return block.text.trim() !== '';
  if (isThinkingBlock(block)) return block.signature !== undefined;
  return isRedactedThinkingBlock(block) || isThinkingSignatureBlock(block);
}

function isSubstance(block: ContentBlock): boolean {
  return isTextBlock(block) || isToolUseBlock(block);
}
