import { isPlainObject } from '@bough/core';
import { HEAD_REFS } from '../meta/layout.ts';
import type { Repository } from '../repository/repository.ts';

// Where ResearchTree keeps its stars: a file in every commit, of which the copy on the first branch counts.

export const STARS_FILE = 'stars.json';
export const STARS_REF = `${HEAD_REFS}main`;

export interface Stars {
  readonly ids: readonly string[];
  /** The file as it is: what else is in it is kept. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Null where there is no such file, or it is not ResearchTree's. */
export async function readStars(repository: Repository, tree: string | undefined): Promise<Stars | null> {
  const oid = tree === undefined ? undefined : (await repository.readTree(tree)).get(STARS_FILE)?.oid;
  return oid === undefined ? null : parseStars((await repository.readBlob(oid)).toString('utf8'));
}

function parseStars(text: string): Stars | null {
  try {
    const fields: unknown = JSON.parse(text);
    const ids = isPlainObject(fields) ? fields['starredNodeIds'] : null;
    if (!isPlainObject(fields) || !Array.isArray(ids)) return null;
    return { ids: ids.filter((id) => typeof id === 'string'), fields };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function starsText({ ids, fields }: Stars): Buffer {
  return Buffer.from(`${JSON.stringify({ ...fields, starredNodeIds: ids }, null, 2)}\n`);
}
