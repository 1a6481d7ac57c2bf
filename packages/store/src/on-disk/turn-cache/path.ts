import type { CachedTurn, NodeId, ProjectId } from '@bough/core';
import { marksOf } from '@bough/core';
import type { NodeSummary } from '../node-summary.ts';
import type { TurnCache } from './index.ts';

/** The part of a path that need not be read, and the rest of it. */
export interface CachedPath<Node> {
  readonly marks: string;
  readonly cachedTurns: readonly CachedTurn[];
  readonly behind: readonly Node[];
}

/** The tip's own turn is not looked up: a turn that is not read must be followed by something. */
export async function cachedPath<Node extends NodeSummary>(
  cache: TurnCache,
  project: ProjectId,
  path: readonly Node[],
  slot: string | undefined,
  includesThinking: (node: Node) => boolean = (node) => node.includeThinkingInContext,
): Promise<CachedPath<Node>> {
  const ids: readonly NodeId[] = path.slice(0, -1).map(({ id }) => id);
  const cachedTurns = slot === undefined ? [] : await cache.read(project, slot, ids);
  const newest = cachedTurns.at(-1)?.nodeId;
  return {
    marks: marksOf(path.map((node) => ({ ...node, includeThinkingInContext: includesThinking(node) }))),
    cachedTurns,
    behind: newest === undefined ? path : path.slice(1 + ids.indexOf(newest)),
  };
}
