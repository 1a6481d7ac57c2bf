import type { GraphView } from '@bough/api';
import { shortId } from './short-id.ts';

type GraphNode = GraphView['nodes'][number];

const MARKS: Readonly<Record<GraphNode['role'], string>> = { system: 'S', user: 'U', assistant: 'A', tool: 'T' };

/** The tree, one node per line; a straight run keeps its column, only a fork moves one to the right. */
export function graphText({ nodes, branches }: GraphView): string {
  const children = new Map<string | null, GraphNode[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parentId);
    if (siblings === undefined) children.set(node.parentId, [node]);
    else siblings.push(node);
  }
  const tips = new Map<string, string[]>();
  for (const { tipId, name } of branches) if (tipId !== null) tips.set(tipId, [...(tips.get(tipId) ?? []), name]);
  const lines: string[] = [];
  // A list of what remains to be drawn instead of recursion: a conversation may be deeper than the stack.
  const waiting: { node: GraphNode; prefix: string; fork: boolean }[] = [];
  const enter = (parent: string | null, prefix: string): void => {
    const below = children.get(parent) ?? [];
    const fork = below.length > 1;
    for (const node of [...below].reverse()) waiting.push({ node, prefix, fork });
  };
  enter(null, '');
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, prefix, fork } = next;
    lines.push(`${prefix}${fork ? '├─ ' : ''}${lineOf(node, tips.get(node.id) ?? [])}`);
    enter(node.id, fork ? `${prefix}│  ` : prefix);
  }
  return lines.length === 0 ? '(empty)\n' : `${lines.join('\n')}\n`;
}

function lineOf(node: GraphNode, tips: readonly string[]): string {
  const notes = [
    node.modelUsed ?? '',
    node.mergedUpTo === undefined ? '' : `brings ${shortId(node.mergedUpTo)}`,
    node.isError ? 'error' : '',
    node.interrupted ? 'interrupted' : '',
    (node.run ?? 1) > 1 ? `and ${(node.run ?? 1) - 1} more in a line` : '',
    (node.below ?? 0) > 0 ? `(${node.below} below)` : '',
    tips.length > 0 ? `<- ${tips.join(', ')}` : '',
  ].filter((note) => note !== '');
  return [MARKS[node.role], shortId(node.id), ...notes].join(' ');
}
