import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

// Below the project: read again when anything changes in it.

/** The canvas of a branch, or one of its versions. */
export const canvasQuery = (projectId: string, branch: string, version?: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'canvas', branch, version ?? null],
    queryFn: async () => (await client.canvas(projectId, branch, version)).canvas,
  });

export const canvasHistoryQuery = (projectId: string, branch: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'canvas', branch, 'history'],
    queryFn: async () => (await client.canvasHistory(projectId, branch)).versions,
  });
