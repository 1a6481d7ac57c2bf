import { isPlainObject } from '@bough/core';
import { PlacedText } from '../files/place.ts';

/**
 * JSON without half characters, and whether one had to be replaced. Half of a surrogate pair has no UTF-8 form.
 * `JSON.stringify` escapes it, and strict servers then refuse every body that contains it: a tool result cut in the
 * middle of a character would end the conversation for good. Places for files are kept: they are filled before anything
 * is sent.
 */
export function wellFormedJson(value: unknown): { readonly json: string; readonly replaced: boolean } {
  const written = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(written)) return { json: written, replaced: false };
  const json = JSON.stringify(wellFormed(value));
  return { json, replaced: json !== written || hasHalfBesidePlace(value) };
}

/** The texts around places are mended when they are written: the JSON alone does not tell. */
function hasHalfBesidePlace(value: unknown): boolean {
  if (value instanceof PlacedText) return value.parts.some((part) => typeof part === 'string' && !part.isWellFormed());
  if (Array.isArray(value)) return value.some(hasHalfBesidePlace);
  return isPlainObject(value) && Object.values(value).some(hasHalfBesidePlace);
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (value instanceof PlacedText) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
