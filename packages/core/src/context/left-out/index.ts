import { isToolUseBlock } from '../../blocks/index.ts';
import type { Choices, NodeId, TreeNode } from '../../entities/index.ts';

/**
 * The path without the messages that a person left out. A reply takes the results of its calls along: without their
 * calls no provider takes them. Instructions stay, because the tools and the prompt of the request depend on them; so
 * does a result on its own, whose call would be refused without it (see `results-left-out`).
 */
export function withoutLeftOut(path: readonly TreeNode[], choices: Choices = {}): readonly TreeNode[] {
  if (!Object.values(choices).includes('leave_out')) return path;
  const calls = new Set<string>();
  return path.filter((node) => {
    if (node.role === 'tool') return node.toolCallId === null || !calls.has(node.toolCallId);
    calls.clear();
    const leaves = node.role !== 'system' && choices[node.id] === 'leave_out';
    if (leaves) for (const block of node.contentBlocks) if (isToolUseBlock(block)) calls.add(block.id);
    return !leaves;
  });
}

/** A summary cannot be left out: with it would go everything that it stands for. */
export function withoutThese(choices: Choices | undefined, ids: readonly NodeId[] = []): Choices | undefined {
  if (choices === undefined || !ids.some((id) => id in choices)) return choices;
  return Object.fromEntries(Object.entries(choices).filter(([id]) => !ids.some((other) => other === id)));
}
