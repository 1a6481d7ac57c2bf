import type { SearchView } from '@bough/api/client';

export type SearchHit = SearchView['hits'][number];

/** What was found in one project. */
export interface SearchGroup {
  readonly projectId: string;
  readonly projectName: string;
  readonly archived: boolean;
  readonly hits: readonly SearchHit[];
}

/** By project, in the order in which each was found first. A hit that comes again, on a later page, is shown once. */
export function searchGroups(pages: readonly SearchView[]): readonly SearchGroup[] {
  const groups = new Map<string, Map<string, SearchHit>>();
  for (const hit of pages.flatMap(({ hits }) => hits)) {
    const group = groups.get(hit.projectId) ?? new Map<string, SearchHit>();
    groups.set(hit.projectId, group.set(hitKey(hit), hit));
  }
  return [...groups.values()].flatMap((group) => {
    const hits = [...group.values()];
    const [first] = hits;
    if (first === undefined) return [];
    const { projectId, projectName, archived } = first;
    return [{ projectId, projectName, archived, hits }];
  });
}

export const hitKey = ({ kind, projectId, branchId, nodeId }: SearchHit): string =>
  `${kind} ${projectId} ${kind === 'node' ? nodeId : branchId}`;

/** How the list is left with the arrow keys: -1 is the box above it. */
export function nextResult(at: number, key: string, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(at - 1, -1);
  if (key === 'Home') return count > 0 ? 0 : null;
  if (key === 'End') return count > 0 ? count - 1 : null;
  return null;
}
