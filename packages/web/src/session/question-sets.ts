import type {
  CreateQuestionSetInput,
  EstimateRoundInput,
  RoundTableView,
  RoundView,
  UpdateRoundInput,
} from '@bough/api/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { queryClient } from './queries.ts';

/** How often a round that goes on is looked at: the server writes down what it has as often. */
const LOOK_MS = 1_000;
/** How much of each answer is read: a table of whole answers would be megabytes. */
const BEGINNING = 400;

/** Whether something may happen without anybody doing anything here. */
export const isMoving = ({ state, running }: RoundView): boolean => state === 'running' || running > 0;

export const setsQuery = queryOptions({
  queryKey: ['question-sets'],
  queryFn: async () => (await client.listQuestionSets()).sets,
  refetchInterval: ({ state }) => (state.data?.some(({ rounds }) => rounds.some(isMoving)) === true ? LOOK_MS : false),
});

export const setQuery = (id: string) =>
  queryOptions({
    queryKey: ['question-sets', id],
    queryFn: async () => (await client.getQuestionSet(id)).set,
    refetchInterval: ({ state }) => (state.data?.rounds.some(isMoving) === true ? LOOK_MS : false),
    retry: false,
  });

/** A part of the table of a round. */
export const roundQuery = (id: string, offset: number, limit: number) =>
  queryOptions({
    queryKey: ['rounds', id, { offset, limit }],
    queryFn: () => client.getRound(id, { offset, limit, characters: BEGINNING }),
    // Another page of the same round; what is seen of another one would be steered by mistake.
    placeholderData: (before?: RoundTableView) => (before?.round.id === id ? before : undefined),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data.round) ? LOOK_MS : false),
    retry: false,
  });

export const roundEstimateQuery = (setId: string, wish: EstimateRoundInput) =>
  queryOptions({
    queryKey: ['question-sets', setId, 'estimate', wish],
    queryFn: ({ signal }) => client.estimateRound(setId, wish, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });

export async function refreshSets(): Promise<void> {
  await Promise.all([['question-sets'], ['rounds']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export type SetSource = CreateQuestionSetInput['from'];

/** A new set, or changes to one; returns its id. */
export async function saveSet(
  id: string | null,
  set: { readonly name: string; readonly systemPrompt: string | null | undefined; readonly from: SetSource | null },
): Promise<string> {
  const { name, systemPrompt, from } = set;
  const prompt = systemPrompt === undefined ? {} : { systemPrompt };
  const source = from === null ? {} : { from };
  const saved =
    id === null && from !== null
      ? await client.createQuestionSet({ name, ...prompt, from })
      : await client.updateQuestionSet(id ?? '', { name, ...prompt, ...source });
  await refreshSets();
  return saved.set.id;
}

export async function removeSet(id: string): Promise<void> {
  await client.deleteQuestionSet(id);
  // What is gone is not read once more.
  queryClient.removeQueries({ queryKey: ['question-sets', id] });
  await queryClient.invalidateQueries({ queryKey: ['question-sets'] });
}

export async function steerRound(id: string, change: UpdateRoundInput): Promise<void> {
  await client.updateRound(id, change);
  await refreshSets();
}

export async function removeRound(id: string): Promise<void> {
  await client.deleteRound(id);
  queryClient.removeQueries({ queryKey: ['rounds', id] });
  await queryClient.invalidateQueries({ queryKey: ['question-sets'] });
}
