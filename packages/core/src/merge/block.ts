import type { ContentBlock, MergeBlock } from '../blocks/index.ts';
import { isMergeBlock } from '../blocks/index.ts';

/** Where a message was brought from; null for one that is no merge. */
export const mergeIn = (blocks: readonly ContentBlock[]): MergeBlock | null => blocks.find(isMergeBlock) ?? null;

/** What a message says to a model: where it was brought from is for people. */
export function withoutMerge(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.some(isMergeBlock) ? blocks.filter((block) => !isMergeBlock(block)) : blocks;
}
