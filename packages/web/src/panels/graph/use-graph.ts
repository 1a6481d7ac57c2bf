import type { BranchView, GraphView } from '@bough/api/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { graphQuery, outlineQuery } from '../../session/queries.ts';
import { isOutline, leavesOut } from '../../view/graph-path.ts';

export interface GraphRead {
  readonly data: GraphView | undefined;
  readonly error: Error | null;
  readonly failureCount: number;
}

/** The tree: whole, or the part of a large one that is looked at, with what was opened in it. */
export function useGraph(projectId: string, branch: BranchView, opened: ReadonlySet<string>): GraphRead {
  const whole = useQuery(graphQuery(projectId));
  const { data } = whole;
  const isMissing = data !== undefined && (leavesOut(data, [branch.tipId]) || (opened.size > 0 && isOutline(data)));
  const outline = useQuery({
    ...outlineQuery(projectId, branch.id, [...opened]),
    enabled: isMissing,
    // What is there stays while more of it is read.
    placeholderData: keepPreviousData,
  });
  return isMissing && outline.data !== undefined ? outline : whole;
}
