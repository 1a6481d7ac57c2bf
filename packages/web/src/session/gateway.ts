import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import { projectQuery, readAgain } from './queries.ts';

const PAGE_SESSIONS = 20;

export const gatewayQuery = queryOptions({ queryKey: ['gateway'], queryFn: () => client.gateway() });

/** Sessions of other clients, the last used first. */
export const gatewaySessionsQuery = infiniteQueryOptions({
  queryKey: ['gateway', 'sessions'] as const,
  queryFn: ({ pageParam }) => client.gatewaySessions({ limit: PAGE_SESSIONS, offset: pageParam }),
  initialPageParam: 0,
  getNextPageParam: ({ total }, pages) => {
    const seen = pages.length * PAGE_SESSIONS;
    return seen < total ? seen : undefined;
  },
});

/** The calls of a turn that a client made. Under the key of the project: a turn that goes on has more of them. */
export const exchangesQuery = (projectId: string, turnId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'exchanges', turnId],
    queryFn: () => client.exchanges(projectId, turnId),
  });

/** What came and what left never changes once the call is over. */
export const exchangeQuery = (projectId: string, turnId: string, callId: string) =>
  queryOptions({
    queryKey: ['exchange', projectId, turnId, callId],
    queryFn: () => client.exchange(projectId, turnId, callId),
    staleTime: 60_000,
    retry: false,
  });

/** Whether clients talk into a project: then some of its replies were theirs. */
export function useIsRecorded(projectId: string): boolean {
  return useQuery(projectQuery(projectId)).data?.branches.some(({ recorded }) => recorded !== undefined) ?? false;
}

/** Agents begin a turn every few seconds, and a list of sessions counts all of their calls: they share one reading. */
const PAUSE_MS = 1_000;
let due: ReturnType<typeof setTimeout> | undefined;

/** A turn began or ended somewhere: the list of sessions, where it is shown, is read again soon. */
export function refreshGateway(): void {
  due ??= setTimeout(() => {
    due = undefined;
    void readAgain(['gateway']);
  }, PAUSE_MS);
}
