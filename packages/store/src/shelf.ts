import { isPlainObject } from '@bough/core';
import { ConflictError, StoreError } from './errors.ts';

/** A small document that belongs to no project: presets, prompts, defaults. The store does not interpret it. */
export interface ShelfDocument {
  readonly name: string;
  /** 1 when it was first stored, and one more with each change. */
  readonly version: number;
  /** Any JSON value. */
  readonly value: unknown;
}

/** Names are chosen by the program, never by people: each is the name of a file in two of the stores. */
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

export function requireDocumentName(name: string): void {
  if (!NAME.test(name))
    throw new StoreError('invalid_document_name', name, `"${name}" is not the name of a document on the shelf.`);
}

/** What replaces the document that is there. The writer must have seen it. */
export function nextDocument(
  found: ShelfDocument | null,
  { name, value, expected }: { readonly name: string; readonly value: unknown; readonly expected: number },
): ShelfDocument {
  const version = found?.version ?? 0;
  if (version !== expected) throw documentChanged(name);
  return { name, version: version + 1, value };
}

export function documentChanged(name: string): ConflictError {
  return new ConflictError('document_changed', `"${name}" was changed meanwhile. Read it again, then decide.`, name);
}

/** Whether a file holds a document: one that was edited by hand, or restored by halves, is noticed where it is read. */
export function isShelfDocument(value: unknown): value is ShelfDocument {
  if (!isPlainObject(value)) return false;
  const { name, version } = value;
  return (
    typeof name === 'string' &&
    NAME.test(name) &&
    typeof version === 'number' &&
    Number.isSafeInteger(version) &&
    version > 0 &&
    'value' in value
  );
}

export function byName(documents: readonly ShelfDocument[]): readonly ShelfDocument[] {
  return documents.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
