import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { readAgain } from './queries.ts';

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async () => (await client.listPresets()).presets,
  staleTime: 30_000,
});
export const promptsQuery = queryOptions({
  queryKey: ['prompts'],
  queryFn: async () => (await client.listPrompts()).prompts,
  staleTime: 30_000,
});
export const titleModelQuery = queryOptions({
  queryKey: ['title-model'],
  queryFn: async () => (await client.titleModel()).model,
});

export const refreshPresets = (): Promise<void> => readAgain(['presets']);
export const refreshPrompts = (): Promise<void> => readAgain(['prompts']);
