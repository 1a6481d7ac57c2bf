import type { GraphView } from '@bough/api/client';
import type { GraphItem, GraphLayout } from './graph-layout.ts';

type Nodes = GraphView['nodes'];

/** A merge, and the last message that it brought: its second parent. */
export interface MergeLine {
  readonly from: GraphItem;
  readonly to: GraphItem;
}

/** Both ends of all merges: folded into a run, they would have no line. */
export function mergeEnds(nodes: Nodes): readonly string[] {
  return nodes.flatMap(({ id, mergedUpTo }) => (mergedUpTo === undefined ? [] : [id, mergedUpTo]));
}

/** What was deleted, or is left out of an outline, has no line. */
export function mergeLines(nodes: Nodes, { itemOf }: Pick<GraphLayout, 'itemOf'>): readonly MergeLine[] {
  return nodes.flatMap(({ id, mergedUpTo }) => {
    const from = mergedUpTo === undefined ? undefined : itemOf.get(mergedUpTo);
    const to = itemOf.get(id);
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });
}
