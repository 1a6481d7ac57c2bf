import { isPlainObject, UnknownIdError } from '@bough/core';
import type { Environment } from '../environment.ts';
import { changeList, readList } from './document.ts';

/** A text that is written often. `{{name}}` and `{{name:default}}` in it are asked for when it is used. */
export interface Prompt {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
}

export type NewPrompt = Omit<Prompt, 'id'>;
export type PromptChange = { readonly [Key in keyof NewPrompt]?: NewPrompt[Key] | undefined };

export const listPrompts = (env: Environment): Promise<readonly Prompt[]> => readList(env, 'prompts', isPrompt);

export async function createPrompt(env: Environment, input: NewPrompt): Promise<Prompt> {
  const prompt = { id: env.ids.item(), ...plain(input) };
  return changeList(env, 'prompts', isPrompt, (prompts) => ({ items: [...prompts, prompt], result: prompt }));
}

export async function changePrompt(env: Environment, id: string, change: PromptChange): Promise<Prompt> {
  return changeList(env, 'prompts', isPrompt, (prompts) => {
    const before = findIn(prompts, id);
    const { title = before.title, text = before.text, tags = before.tags } = change;
    const prompt = { id, ...plain({ title, text, tags }) };
    return { items: prompts.map((each) => (each.id === id ? prompt : each)), result: prompt };
  });
}

export async function deletePrompt(env: Environment, id: string): Promise<void> {
  await changeList(env, 'prompts', isPrompt, (prompts) => {
    findIn(prompts, id);
    return { items: prompts.filter((each) => each.id !== id), result: undefined };
  });
}

/** Adds those that are not there yet, title and text alike: the same file can be imported twice. */
export async function importPrompts(
  env: Environment,
  inputs: readonly NewPrompt[],
): Promise<{ readonly added: number; readonly skipped: number }> {
  return changeList(env, 'prompts', isPrompt, (prompts) => {
    const known = new Set(prompts.map(keyOf));
    const added: Prompt[] = [];
    for (const input of inputs) {
      if (known.has(keyOf(input))) continue;
      known.add(keyOf(input));
      added.push({ id: env.ids.item(), ...plain(input) });
    }
    const result = { added: added.length, skipped: inputs.length - added.length };
    return { items: [...prompts, ...added], result };
  });
}

const keyOf = ({ title, text }: NewPrompt): string => JSON.stringify([title, text]);

const plain = ({ title, text, tags }: NewPrompt): NewPrompt => ({ title, text, tags: [...new Set(tags)] });

function findIn(prompts: readonly Prompt[], id: string): Prompt {
  const found = prompts.find((prompt) => prompt.id === id);
  if (found === undefined) throw new UnknownIdError('prompt', id);
  return found;
}

function isPrompt(value: unknown): value is Prompt {
  if (!isPlainObject(value)) return false;
  const { id, title, text, tags } = value;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    typeof text === 'string' &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === 'string')
  );
}
