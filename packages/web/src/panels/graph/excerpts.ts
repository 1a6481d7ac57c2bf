import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { historyQuery, labelQuery } from '../../session/queries.ts';
import { labelOf } from '../../view/merge.ts';

/** The first words of the messages that the conversation has already loaded: labels that cost no request. */
export function useExcerpts(projectId: string, branchId: string): ReadonlyMap<string, string> {
  const t = useT();
  const history = useInfiniteQuery(historyQuery(projectId, branchId));
  return useMemo(() => {
    const nodes = (history.data?.pages ?? []).flatMap((page) =>
      page.groups.flatMap(({ user, reply }) => (user === null ? reply : [user, ...reply])),
    );
    return new Map(nodes.map((node) => [node.id, labelOf(node, t)]));
  }, [history.data, t]);
}

/** Nobody reads labels while they rush past. */
const SETTLED_MS = 150;
const MOST = 60;

/** The first words of the messages in the frame, on whichever branch: those that are not known are read, once. */
export function useLabels(known: ReadonlyMap<string, string>, inFrame: readonly string[]): ReadonlyMap<string, string> {
  const wanted = inFrame
    .filter((id) => !known.has(id))
    .slice(0, MOST)
    .join(' ');
  const settled = useSettled(wanted, SETTLED_MS);
  const ids = settled === '' ? [] : settled.split(' ');
  const t = useT();
  return useQueries({
    queries: ids.map((id) => labelQuery(id, t)),
    combine: (results) => {
      const read = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
      return read.length === 0 ? known : new Map([...known, ...read]);
    },
  });
}
