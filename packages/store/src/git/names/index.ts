import { EMPTY, escapeWhere, percent, shortened, unescape } from '../../on-disk/file-names/escape.ts';

/**
 * The ref names that a branch may have, best first: readable; without directories, for a name that would need a
 * directory where another branch has its file; without capitals, for a file system on which `A` is `a`.
 */
export function refNamesOf(branch: string): readonly [string, ...string[]] {
  const natural = naturalRefName(branch);
  const flat = natural.replaceAll('/', '%2F');
  const small = flat.replace(/%(u[0-9A-F]{4}|[0-9A-F]{2})|[A-Z]/g, (found) =>
    found.startsWith('%') ? found : percent(found),
  );
  return [natural.split('/').map(shortened).join('/'), shortened(flat), shortened(small)];
}

/**
 * The branch name of a ref for which Bough has no record: decoded if Bough could have encoded it, otherwise unchanged.
 */
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
    // A doubled, leading or trailing slash would make an empty part.
    .replace(/^\/|\/$/g, '%2F')
    .replace(/\/(?=\/)/g, '%2F');
  return escaped === '@' || escaped === 'HEAD' ? percent(escaped) : escaped;
}
