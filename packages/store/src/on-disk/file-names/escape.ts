import { createHash } from 'node:crypto';

// Names of files, directories and refs for ids and branch names, which may be any text. A forbidden character is
// written as `%` and its UTF-8 bytes in hexadecimal; half of a surrogate pair, which has no UTF-8, as `%u` and its
// code.

/** Longest name that leaves room for a suffix (`.lock`, `.json`) in a file system that allows 255 bytes. */
const LONGEST = 200;
/** Precedes the hash of a shortened name. No escape looks like it. */
export const SHORTENED = '%+';
/** The file name for an empty id. */
export const EMPTY = '%';

export function escapeWhere(text: string, forbidden: (character: string, first: boolean) => boolean): string {
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) result += `%u${code.toString(16).toUpperCase()}`;
    else if (forbidden(character, result === '')) result += percent(character);
    else result += character;
  }
  return result;
}

export function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

export function unescape(text: string): string | null {
  const parts = text.split(/((?:%[0-9A-F]{2})+|%u[0-9A-F]{4})/);
  let result = '';
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) {
      if (part.includes('%')) return null;
      result += part;
    } else if (part.startsWith('%u')) {
      result += String.fromCharCode(Number.parseInt(part.slice(2), 16));
    } else {
      result += Buffer.from(part.replaceAll('%', ''), 'hex').toString('utf8');
    }
  }
  return result;
}

/** A name that is too long keeps its beginning, for people, and gets a hash, so that two such names stay distinct. */
export function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= LONGEST) return name;
  const start = bytes.toString('utf8', 0, LONGEST - 40).replace(/\uFFFD+$|%[^%]{0,2}$/, '');
  return `${start}${SHORTENED}${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
