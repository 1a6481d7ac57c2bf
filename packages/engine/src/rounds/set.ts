import type { SetQuestion } from '@bough/core';
import { isPlainObject, UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import { readList } from '../library/document.ts';

/** Questions with a name, to be asked of models again and again. What a round asked stays known when they change. */
export interface QuestionSet {
  readonly id: string;
  /** No two sets share one. */
  readonly name: string;
  /** The system prompt under which they are asked; null: none. */
  readonly systemPrompt: string | null;
  readonly questions: readonly SetQuestion[];
  readonly createdAt: string;
}

export const listSets = (env: Environment): Promise<readonly QuestionSet[]> => readList(env, 'question-sets', isSet);

export async function getSet(env: Environment, ref: string): Promise<QuestionSet> {
  return findSet(await listSets(env), ref);
}

/** By id, otherwise by name. */
export function findSet(sets: readonly QuestionSet[], ref: string): QuestionSet {
  const found = sets.find(({ id }) => id === ref) ?? sets.find(({ name }) => name === ref);
  if (found === undefined) throw new UnknownIdError('question set', ref);
  return found;
}

export function isSet(value: unknown): value is QuestionSet {
  if (!isPlainObject(value)) return false;
  const { id, name, systemPrompt, questions, createdAt } = value;
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    (systemPrompt === null || typeof systemPrompt === 'string') &&
    typeof createdAt === 'string' &&
    Array.isArray(questions) &&
    questions.every((each) => isPlainObject(each) && typeof each['id'] === 'string' && typeof each['text'] === 'string')
  );
}
