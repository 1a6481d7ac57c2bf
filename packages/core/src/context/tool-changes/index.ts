import type { ContentBlock, ToolChangeBlock } from '../../blocks/index.ts';
import { isToolChangeBlock } from '../../blocks/index.ts';
import type { ToolDefinition, TreeNode } from '../../entities/index.ts';
import { stableDeepEqual } from '../../equality/index.ts';

/** The changes of tools on a path, in order. */
export function toolChangesOf(path: readonly TreeNode[]): readonly ToolChangeBlock[] {
  return path.flatMap(({ role, contentBlocks }) => {
    const blocks: readonly ContentBlock[] = contentBlocks;
    return role === 'system' ? blocks.filter(isToolChangeBlock) : [];
  });
}

/**
 * The tools that a conversation began with, if the changes on its path lead from there to the tools that it has now.
 * Null if there are none, or if they do not: a tool is defined differently today, or the branch chose others elsewhere.
 * Then the tools of today are all that can be sent. So they are if it began without any: the API wants at least one.
 */
export function toolsAtStart(
  path: readonly TreeNode[],
  tools: readonly ToolDefinition[],
): readonly ToolDefinition[] | null {
  const changes = toolChangesOf(path);
  const [first] = changes;
  if (first === undefined || first.before.length === 0) return null;
  const isChain = changes.every(({ after }, index) => stableDeepEqual(after, changes[index + 1]?.before ?? tools));
  return isChain ? first.before : null;
}
