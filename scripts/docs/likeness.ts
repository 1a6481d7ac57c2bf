import { isPlainObject } from '@bough/core';

/**
 * Words on which a client bases decisions: a document that shows a different one than the server sends would be wrong.
 */
const EXACT = new Set(['type', 'code', 'status', 'role', 'kind', 'fidelity', 'protocol', 'keySource']);

/**
 * What in the documented reply the real one contradicts; null if it is accurate. Ids, times and words differ from run
 * to run, but fields and their kinds must not. A list may be shortened, and so may an object that has the key `…`.
 */
export function difference(documented: unknown, real: unknown, path = ''): string | null {
  if (documented === null || real === null) return null;
  if (Array.isArray(documented)) {
    if (!Array.isArray(real)) return `${path} is no list`;
    if (documented.length > 0 && real.length === 0) return `${path} is empty`;
    const strangers = documented.flatMap((element, index) => {
      const told = real.map((candidate) => difference(element, candidate, `${path}[${index}]`));
      return told.includes(null) ? [] : [told[index] ?? told[0] ?? `${path}[${index}]`];
    });
    return strangers[0] ?? null;
  }
  if (isPlainObject(documented)) {
    if (!isPlainObject(real)) return `${path} is no object`;
    return differenceOfFields(documented, real, path);
  }
  return typeof documented === typeof real ? null : `${path} is a ${typeof real}, not a ${typeof documented}`;
}

function differenceOfFields(
  documented: Readonly<Record<string, unknown>>,
  real: Readonly<Record<string, unknown>>,
  path: string,
): string | null {
  const missing = Object.keys(real).filter((key) => !(key in documented));
  if (missing.length > 0 && !('…' in documented)) return `${path}.${missing[0]} is sent but not documented`;
  for (const [key, value] of Object.entries(documented)) {
    if (key === '…') continue;
    if (!(key in real)) return `${path}.${key} is documented but not sent`;
    if (EXACT.has(key) && value !== real[key] && typeof value === 'string')
      return `${path}.${key} is ${JSON.stringify(real[key])}, not ${JSON.stringify(value)}`;
    const told = difference(value, real[key], `${path}.${key}`);
    if (told !== null) return told;
  }
  return null;
}

/** The same for lines: each documented one must appear, in order; others may come between. */
export function differenceOfLines(documented: readonly unknown[], real: readonly unknown[]): string | null {
  let at = 0;
  for (const [index, line] of documented.entries()) {
    const rest = real.slice(at).map((candidate) => difference(line, candidate, `line ${index + 1}`));
    const found = rest.indexOf(null);
    if (found === -1) return rest[0] ?? `line ${index + 1} does not come`;
    at += found + 1;
  }
  return null;
}
