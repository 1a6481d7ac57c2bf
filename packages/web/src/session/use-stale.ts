import { useSyncExternalStore } from 'react';
import { queryClient } from './queries.ts';

/**
 * Why something on the screen could not be read again; null if everything could. What has never been read has its own
 * message in its own place, and so has the preview of the next request, which can fail because of what it previews.
 */
export function useStale(projectId: string): Error | null {
  return useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(listener),
    () =>
      queryClient
        .getQueryCache()
        .findAll({ queryKey: ['project', projectId], type: 'active' })
        .find(
          ({ queryKey, state }) => queryKey[2] !== 'context' && state.status === 'error' && state.data !== undefined,
        )?.state.error ?? null,
  );
}
