import type { ProjectId, QuestionFormat, SetQuestion } from '@bough/core';
import { deriveTextFromBlocks, isPlainObject, numberQuestions, readQuestions, UnknownIdError } from '@bough/core';
import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';
import { changeList, readList } from '../library/document.ts';
import { forgetAnswers } from './answers.ts';
import { changeRounds, isHeld, listRounds } from './round.ts';

/** Questions with a name, to be asked of models again and again. They never change: what a round asked stays known. */
export interface QuestionSet {
  readonly id: string;
  /** No two sets share one. */
  readonly name: string;
  /** The system prompt under which they are asked; null: none. */
  readonly systemPrompt: string | null;
  readonly questions: readonly SetQuestion[];
  readonly createdAt: string;
}

export type QuestionSource =
  | {
      readonly questions: readonly {
        readonly id?: string | undefined;
        readonly text: string;
        readonly expected?: string | undefined;
      }[];
    }
  | { readonly file: string; readonly format?: QuestionFormat | undefined }
  /** What the person said on a branch, each message a question of its own. */
  | { readonly projectId: ProjectId; readonly ref: string };

export interface NewQuestionSet {
  readonly name: string;
  /** Absent: that of the branch, or none. */
  readonly systemPrompt?: string | null | undefined;
  readonly from: QuestionSource;
}

export const listSets = (env: Environment): Promise<readonly QuestionSet[]> => readList(env, 'question-sets', isSet);

export async function getSet(env: Environment, ref: string): Promise<QuestionSet> {
  return findIn(await listSets(env), ref);
}

export async function createSet(env: Environment, { name, systemPrompt, from }: NewQuestionSet): Promise<QuestionSet> {
  const read = await questionsIn(env, from);
  const set: QuestionSet = {
    id: env.ids.item(),
    name,
    systemPrompt: systemPrompt === undefined ? read.systemPrompt : systemPrompt,
    questions: read.questions,
    createdAt: env.now().toISOString(),
  };
  return changeList(env, 'question-sets', isSet, (sets) => {
    if (sets.some((other) => other.name === name))
      throw new ConflictError('name_taken', `There is a question set "${name}" already. Choose another name.`, name);
    return { items: [...sets, set], result: set };
  });
}

/** Its rounds go with it; the projects with their answers stay. */
export async function deleteSet(env: Environment, ref: string): Promise<void> {
  const { id } = await getSet(env, ref);
  const own = (await listRounds(env)).filter(({ setId }) => setId === id);
  if (own.some((round) => isHeld(round, env.now())))
    throw new RequestError('round_busy', 'A round asks these questions right now. Cancel it first.');
  await changeList(env, 'question-sets', isSet, (sets) => ({
    items: sets.filter((set) => set.id !== id),
    result: undefined,
  }));
  await changeRounds(env, (rounds) => ({ items: rounds.filter(({ setId }) => setId !== id), result: undefined }));
  for (const round of own) await forgetAnswers(env, round.id);
}

async function questionsIn(
  env: Environment,
  from: QuestionSource,
): Promise<Pick<QuestionSet, 'questions' | 'systemPrompt'>> {
  if ('questions' in from) return { questions: numberQuestions(from.questions), systemPrompt: null };
  if ('file' in from) return { questions: readQuestions(from.file, from.format), systemPrompt: null };
  const { tipId, envelope } = await env.store.getBranch(from.projectId, from.ref);
  const path = tipId === null ? [] : await env.store.path(from.projectId, tipId);
  const said = path
    .filter(({ role }) => role === 'user')
    .map(({ contentBlocks }) => ({ text: deriveTextFromBlocks(contentBlocks) }))
    // A message that only brings a file asks nothing by itself.
    .filter(({ text }) => text.trim() !== '');
  return { questions: numberQuestions(said), systemPrompt: envelope.systemPrompt };
}

/** By id, otherwise by name. */
function findIn(sets: readonly QuestionSet[], ref: string): QuestionSet {
  const found = sets.find(({ id }) => id === ref) ?? sets.find(({ name }) => name === ref);
  if (found === undefined) throw new UnknownIdError('question set', ref);
  return found;
}

function isSet(value: unknown): value is QuestionSet {
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
