import { createHash } from 'node:crypto';

// Names of refs, files and directories for ids and branch names, which are any text. A character that cannot stand is written
// as `%` and its UTF-8 bytes in hexadecimal; half of a surrogate pair, which has no UTF-8, as `%u` and its code.

/** Longest name that leaves room for a suffix (`.lock`, `.json`) in a file system that allows 255 bytes. */
const LONGEST = 200;
/** Stands before the hash of a shortened name. No escape looks like it. */
const SHORTENED = '%+';
/** Stands for the name of no characters. */
const EMPTY = '%';

/** A file name for an id. Safe on every file system and in a git tree, also where case does not count. */
export function fileNameOf(id: string): string {
  if (id === '') return EMPTY;
  return shortened(
    escapeWhere(id, (character, first) => !/[a-z0-9_-]/.test(character) && (first || character !== '.')),
  );
}

/** The id of a file name; a shortened one has lost it. */
export function idOfFileName(name: string): string | null {
  if (name === EMPTY) return '';
  return name.includes(SHORTENED) ? null : unescape(name);
}

/**
 * The ref names that a branch may have, best first: as it reads; without directories, for a name that would need a directory
 * where another branch has its file; without capitals, for a file system on which `A` is `a`.
 */
export function refNamesOf(branch: string): readonly [string, ...string[]] {
  const natural = naturalRefName(branch);
  const flat = natural.replaceAll('/', '%2F');
  const small = flat.replace(/%(u[0-9A-F]{4}|[0-9A-F]{2})|[A-Z]/g, (found) =>
    found.startsWith('%') ? found : percent(found),
  );
  return [natural.split('/').map(shortened).join('/'), shortened(flat), shortened(small)];
}

/** The branch name of a ref that Bough did not write down elsewhere: decoded if Bough could have encoded it, else as it is. */
export function branchNameOf(refName: string): string {
  const decoded = refName === EMPTY ? '' : unescape(refName);
  return decoded !== null && refNamesOf(decoded).includes(refName) ? decoded : refName;
}

/** Escapes what git forbids in a ref (see `git check-ref-format`) and what a command line would misread. */
function naturalRefName(branch: string): string {
  if (branch === '') return EMPTY;
  const escaped = escapeWhere(branch, (character) => character <= ' ' || '\u007f~^:?*[\\%'.includes(character))
    .replaceAll('..', '.%2E')
    .replaceAll('@{', '%40{')
    .split('/')
    .map((part) => part.replace(/^\./, '%2E').replace(/\.lock$/, '%2Elock'))
    .join('/')
    .replace(/\.$/, '%2E')
    .replace(/^-/, '%2D')
    // A slash that is doubled, leads or trails would be an empty part.
    .replace(/^\/|\/$/g, '%2F')
    .replace(/\/(?=\/)/g, '%2F');
  return escaped === '@' || escaped === 'HEAD' ? percent(escaped) : escaped;
}

function escapeWhere(text: string, forbidden: (character: string, first: boolean) => boolean): string {
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) result += `%u${code.toString(16).toUpperCase()}`;
    else if (forbidden(character, result === '')) result += percent(character);
    else result += character;
  }
  return result;
}

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function unescape(text: string): string | null {
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

/** What is too long keeps its beginning, for people, and gets a hash, so that two of them stay two. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= LONGEST) return name;
  const start = bytes.toString('utf8', 0, LONGEST - 40).replace(/\uFFFD+$|%[^%]{0,2}$/, '');
  return `${start}${SHORTENED}${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
