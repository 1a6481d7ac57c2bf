import type { ProjectId } from '@bough/core';
import { BoughError } from '@bough/core';

/**
 * Something that another program keeps with a project and that Bough has no place for: it is kept beside the project,
 * goes wherever the project goes, and returns to where it was when the project returns to that program's layout.
 */
export interface ForeignDocument {
  readonly projectId: ProjectId;
  /** Unique in the project; parts are separated by slashes, the first one names the program. */
  readonly name: string;
  /** What is in it, for people: how many of each kind. */
  readonly holds: Readonly<Record<string, number>>;
  /** JSON. */
  readonly value: unknown;
}

/** Whether a name can be a file's name in every store, once its slashes are escaped. */
const NAME = /^[a-z0-9][a-z0-9-]*(?:\/[a-z0-9][a-z0-9-]*)*$/;

export function requireForeignName(name: string): void {
  if (NAME.test(name) && name.length <= 200) return;
  throw new BoughError(
    'invalid_document_name',
    `"${name.slice(0, 80)}" cannot name a document: use small letters, digits, "-" and "/".`,
  );
}

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name === b.name ? 0 : a.name < b.name ? -1 : 1;

/** What several documents hold together, by kind. */
export function heldBy(documents: Iterable<Pick<ForeignDocument, 'holds'>>): Readonly<Record<string, number>> {
  const sum = new Map<string, number>();
  for (const { holds } of documents)
    for (const [kind, count] of Object.entries(holds)) if (count > 0) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return Object.fromEntries(sum);
}
