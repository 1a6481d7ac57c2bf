import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { historyQuery } from '../../session/queries.ts';

const LENGTH = 60;

/** The first words of the messages that the conversation has already loaded: labels that cost no request. */
export function useExcerpts(projectId: string, branchId: string): ReadonlyMap<string, string> {
  const history = useInfiniteQuery(historyQuery(projectId, branchId));
  return useMemo(() => {
    const nodes = (history.data?.pages ?? []).flatMap((page) =>
      page.groups.flatMap(({ user, reply }) => (user === null ? reply : [user, ...reply])),
    );
    return new Map(nodes.map(({ id, content }) => [id, content.slice(0, LENGTH).replaceAll(/\s+/g, ' ').trim()]));
  }, [history.data]);
}
