import type { ContentBlock } from '@bough/core';
import { isRedactedThinkingBlock, isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import type { Provider } from '@bough/providers';

/**
 * A reply of Claude as its client gives it back, made of what was heard of it: where it thinks, says and calls, its
 * blocks are that. Null where they are not all of it, and for other vendors, whose elements hold more than blocks do.
 */
export function asHeard(
  { deployment }: Pick<Provider, 'deployment'>,
  blocks: readonly ContentBlock[],
): readonly unknown[] | null {
  if (deployment.protocol !== 'anthropic-messages') return null;
  const content: unknown[] = [];
  for (const block of blocks) {
    const part = partOf(block);
    if (part === null) return null;
    content.push(part);
  }
  return [{ role: 'assistant', content }];
}

/** Null for a thought without its signature, a call that broke off, and whatever is not known here. */
function partOf(block: ContentBlock): unknown {
  if (isToolUseBlock(block)) return { type: 'tool_use', id: block.id, name: block.name, input: block.parameters };
  if (isThinkingBlock(block)) return block.signature === undefined ? null : block;
  return isTextBlock(block) || isRedactedThinkingBlock(block) ? block : null;
}
