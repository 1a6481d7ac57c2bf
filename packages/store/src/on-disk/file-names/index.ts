import { EMPTY, escapeWhere, shortened, SHORTENED, unescape } from './escape.ts';

/** A file name for an id. Safe on every file system and in a git tree, even where case is ignored. */
export function fileNameOf(id: string): string {
  if (id === '') return EMPTY;
  return shortened(
    escapeWhere(id, (character, first) => !/[a-z0-9_-]/.test(character) && (first || character !== '.')),
  );
}

/** The id of a file name; null for a shortened name, which has lost it. */
export function idOfFileName(name: string): string | null {
  if (name === EMPTY) return '';
  return name.includes(SHORTENED) ? null : unescape(name);
}
