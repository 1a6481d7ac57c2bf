import { sha256 } from '../hash/index.ts';

/**
 * An id derived from a source's own ids and nothing else: what is imported a second time is recognised. Shaped like a
 * UUID of version 8, the one for custom ids.
 */
export function idFrom(...parts: readonly string[]): string {
  const hash = sha256(JSON.stringify(parts));
  const variant = '89ab'[Number.parseInt(hash[16] ?? '0', 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** What the ids of an imported project of ResearchTree's are derived from, besides its own ones. */
export const researchTreeSpace = (project: string, createdAt: string): string =>
  `research-tree ${project} ${createdAt}`;
