import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';

/** The documents on the store's shelf. Everything in them is shared by the servers that share the store. */
export type DocumentName =
  | 'defaults'
  | 'presets'
  | 'prompts'
  | 'titles'
  | 'question-sets'
  | 'rounds'
  | `round-${string}`;

const ATTEMPTS = 20;
/** A list is read and written as a whole: beyond this it would no longer be quick. */
const MAX_CHARACTERS = 8_000_000;

/** What is in a list; entries that an older program, or a person with an editor, left unreadable are not among it. */
export async function readList<Item>(
  { store }: Environment,
  name: DocumentName,
  isItem: (value: unknown) => value is Item,
): Promise<readonly Item[]> {
  return itemsIn((await store.getDocument(name))?.value, isItem);
}

/** Changes a list as it is at that moment: what another server changed meanwhile stays. */
export async function changeList<Item, Result>(
  { store }: Environment,
  name: DocumentName,
  isItem: (value: unknown) => value is Item,
  change: (items: readonly Item[]) => { readonly items: readonly Item[]; readonly result: Result },
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await store.getDocument(name);
    const { items, result } = change(itemsIn(found?.value, isItem));
    if (JSON.stringify(items).length > MAX_CHARACTERS)
      throw new RequestError('library_full', 'That is more than fits. Remove something first.');
    try {
      await store.putDocument(name, items, found?.version ?? 0);
      return result;
    } catch (error) {
      if (!isChanged(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Puts a document in the place of whatever is there: the last one to choose is right. */
export async function replaceDocument({ store }: Environment, name: DocumentName, value: unknown): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await store.getDocument(name);
    try {
      await store.putDocument(name, value, found?.version ?? 0);
      return;
    } catch (error) {
      if (!isChanged(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

const isChanged = (error: unknown): boolean => error instanceof ConflictError && error.code === 'document_changed';

function itemsIn<Item>(value: unknown, isItem: (value: unknown) => value is Item): readonly Item[] {
  return Array.isArray(value) ? value.filter(isItem) : [];
}
