import { isPlainObject } from '@bough/core';
import type { Environment } from '../environment.ts';
import { replaceDocument } from '../library/document.ts';
import type { Round } from './round.ts';
import type { QuestionSet } from './set.ts';
import { getSet, isSet } from './set.ts';

/**
 * What a round asks, as it was when it began: answers are kept by the number of their question, and would stand beside
 * another one as soon as somebody changed the set.
 */
export async function askedBy(env: Environment, { id, setId }: Pick<Round, 'id' | 'setId'>): Promise<QuestionSet> {
  const set = await getSet(env, setId);
  const asked = await readAsked(env, id);
  // Rounds that are older than changes to sets have the questions of their set.
  return asked === null ? set : { ...set, systemPrompt: asked.systemPrompt, questions: asked.questions };
}

/** Once and for all: what is kept already is what was asked. */
export async function keepAsked(env: Environment, round: string, set: QuestionSet): Promise<void> {
  if ((await readAsked(env, round)) === null) await replaceDocument(env, nameOf(round), set);
}

/** The shelf has no way to remove a document; what is left of it is nothing. */
export const forgetAsked = (env: Environment, round: string): Promise<void> =>
  replaceDocument(env, nameOf(round), null);

const nameOf = (round: string) => `round-${round}-asked` as const;

async function readAsked({ store }: Environment, round: string): Promise<QuestionSet | null> {
  const value = (await store.getDocument(nameOf(round)))?.value;
  return isPlainObject(value) && isSet(value) ? value : null;
}
