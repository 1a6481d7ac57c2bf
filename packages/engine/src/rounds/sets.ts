import type { ProjectId, QuestionFormat } from '@bough/core';
import { deriveTextFromBlocks, isCanvasNode, mergeIn, numberQuestions, readQuestions } from '@bough/core';
import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';
import { changeList } from '../library/document.ts';
import { forgetAnswers } from './answers.ts';
import { forgetAsked, keepAsked } from './asked.ts';
import { changeRounds, isHeld, listRounds } from './round.ts';
import type { QuestionSet } from './set.ts';
import { findSet, getSet, isSet } from './set.ts';

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
    if (sets.some((other) => other.name === name)) throw nameTaken(name);
    return { items: [...sets, set], result: set };
  });
}

/** What is not named stays. */
export interface QuestionSetChange {
  readonly name?: string | undefined;
  readonly systemPrompt?: string | null | undefined;
  /** Other questions, in place of all that there are. */
  readonly from?: QuestionSource | undefined;
}

/** Rounds that there are keep what they asked; the next one asks what the set says then. */
export async function changeSet(env: Environment, ref: string, change: QuestionSetChange): Promise<QuestionSet> {
  const before = await getSet(env, ref);
  const questions = change.from === undefined ? null : (await questionsIn(env, change.from)).questions;
  for (const { id, setId } of await listRounds(env)) if (setId === before.id) await keepAsked(env, id, before);
  return changeList(env, 'question-sets', isSet, (sets) => {
    const now = findSet(sets, before.id);
    const { name = now.name, systemPrompt = now.systemPrompt } = change;
    if (sets.some((other) => other.name === name && other.id !== now.id)) throw nameTaken(name);
    const set = { ...now, name, systemPrompt, questions: questions ?? now.questions };
    return { items: sets.map((each) => (each.id === set.id ? set : each)), result: set };
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
  for (const round of own) {
    await forgetAnswers(env, round.id);
    await forgetAsked(env, round.id);
  }
}

const nameTaken = (name: string): ConflictError =>
  new ConflictError('name_taken', `There is a question set "${name}" already. Choose another name.`, name);

async function questionsIn(
  env: Environment,
  from: QuestionSource,
): Promise<Pick<QuestionSet, 'questions' | 'systemPrompt'>> {
  if ('questions' in from) return { questions: numberQuestions(from.questions), systemPrompt: null };
  if ('file' in from) return { questions: readQuestions(from.file, from.format), systemPrompt: null };
  const { tipId, envelope } = await env.store.getBranch(from.projectId, from.ref);
  const path = tipId === null ? [] : await env.store.path(from.projectId, tipId);
  // What was brought from another branch, and a version of the canvas, nobody asked here.
  const said = path
    .filter((node) => node.role === 'user' && !isCanvasNode(node) && mergeIn(node.contentBlocks) === null)
    .map(({ contentBlocks }) => ({ text: deriveTextFromBlocks(contentBlocks) }))
    // A message that only brings a file asks nothing by itself.
    .filter(({ text }) => text.trim() !== '');
  return { questions: numberQuestions(said), systemPrompt: envelope.systemPrompt };
}
