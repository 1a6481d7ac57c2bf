import type { ContentBlock } from '../../blocks/index.ts';
import { isNonEmpty, isToolChangeBlock } from '../../blocks/index.ts';
import type { Choices, NodeId, TreeNode } from '../../entities/index.ts';

/**
 * The path with a summary in place of what came before it. Turns with a pinned message go along behind the summary, in
 * their order and whole: a reply without its question, or a call without its result, would be refused. Instructions
 * stay in front; changes of tools do not, because the tools at the beginning of the request are those of that moment.
 */
export function behindSummary(
  path: readonly TreeNode[],
  summary: readonly NodeId[] = [],
  choices: Choices = {},
): readonly TreeNode[] {
  const first = path.findIndex(({ id }) => id === summary[0]);
  if (first < 0) return path;
  const covered = path.slice(0, first);
  const instructions = covered.flatMap((node) => (node.role === 'system' ? withoutToolChanges(node) : []));
  const said = covered.filter(({ role }) => role !== 'system');
  const pinned = turnsIn(said).filter((turn) => turn.some(({ id }) => choices[id] === 'pin'));
  const end = first + summary.length;
  return [...instructions, ...path.slice(first, end), ...pinned.flat(), ...path.slice(end)];
}

/** From one message of the user to the next. */
export function turnsIn(path: readonly TreeNode[]): readonly (readonly TreeNode[])[] {
  const turns: TreeNode[][] = [];
  for (const node of path) {
    const current = turns.at(-1);
    if (current === undefined || node.role === 'user') turns.push([node]);
    else current.push(node);
  }
  return turns;
}

function withoutToolChanges(node: TreeNode): readonly TreeNode[] {
  const blocks: readonly ContentBlock[] = node.contentBlocks;
  const rest = blocks.filter((block) => !isToolChangeBlock(block));
  if (rest.length === blocks.length) return [node];
  return isNonEmpty(rest) ? [{ ...node, contentBlocks: rest }] : [];
}
