import { isToolUseBlock } from '../../blocks/index.ts';
import type { BranchId, TreeNode } from '../../entities/index.ts';
import type { Lock } from '../assembly.ts';

/** How each node of a path must be sent. */
export interface CanonicalMask {
  /** True for nodes that are sent as canonical text instead of raw. */
  readonly canonical: readonly boolean[];
  /** Index of the model break, the newest reply of another provider or model; -1 if there is none. */
  readonly breakIndex: number;
}

/**
 * Finds the model break of a path and the nodes that it makes canonical: the break, everything before it, and the tool
 * results after it that answer its calls (a tool loop that spans the break must not be torn apart). A reply whose maker
 * is unknown is canonical itself but is not a break: nothing says that the model changed there.
 */
export function buildCanonicalMask(
  path: readonly TreeNode[],
  lock: Lock,
  lockOf: (branch: BranchId) => Lock | null = () => null,
): CanonicalMask {
  const makers = path.map((node) => makerOf(node, lockOf));
  const breakIndex = path.findLastIndex((node, index) => {
    const maker = makers[index];
    return isReply(node) && maker != null && !(maker.provider === lock.provider && maker.model === lock.model);
  });
  const callsOfBreak = new Set(
    breakIndex < 0 ? [] : path[breakIndex]?.contentBlocks.filter(isToolUseBlock).map((call) => call.id),
  );
  let inLoop = breakIndex >= 0;
  const canonical = path.map((node, index) => {
    if (index <= breakIndex) return true;
    // A stray result among them does not end the loop: the results after it still answer the break's calls.
    inLoop &&= node.role === 'tool';
    const isOfBreak = inLoop && node.toolCallId !== null && callsOfBreak.has(node.toolCallId);
    return isOfBreak || (isReply(node) && makers[index] == null);
  });
  return { canonical, breakIndex };
}

/** The provider and model that made a node: its own, else its branch's lock (old data), else unknown. */
export function makerOf(node: TreeNode, lockOf: (branch: BranchId) => Lock | null): Lock | null {
  if (node.provider !== null && node.modelUsed !== null) return { provider: node.provider, model: node.modelUsed };
  return node.createdOnBranch === null ? null : lockOf(node.createdOnBranch);
}

// An error reply is never sent, so it cannot be where the model changed.
function isReply(node: TreeNode): boolean {
  return node.role === 'assistant' && !node.isError;
}
