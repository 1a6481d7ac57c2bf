import type { SearchView } from '@bough/api/client';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { client } from './client.ts';

const PAGE_HITS = 20;
/** While older messages are being indexed, the same search finds more from time to time. */
const INDEXING_MS = 2_000;

/** What was typed, in all projects. Results of the words before stay until the new ones are there. */
export const searchQuery = (typed: string) =>
  infiniteQueryOptions({
    queryKey: ['search', typed],
    queryFn: ({ pageParam, signal }) =>
      client.search({ q: typed, limit: PAGE_HITS, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: SearchView) => cursor,
    enabled: typed.trim() !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ indexing }) => indexing) === true ? INDEXING_MS : false),
    retry: false,
  });
