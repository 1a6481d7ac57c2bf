import { isPlainObject } from '@bough/core';

export type Json = Readonly<Record<string, unknown>>;

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const objectOf = (value: unknown): Json | undefined => (isPlainObject(value) ? value : undefined);

export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A string that says something. */
export const wordOf = (value: unknown): string | undefined => (value === '' ? undefined : stringOf(value));

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objectsOf = (value: unknown): readonly Json[] => listOf(value).filter(isPlainObject);

/** A whole number above zero, or null. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

/** The arguments of a call, which come as an object or as its JSON text; undefined if they are neither. */
export function argumentsOf(value: unknown): Json | undefined {
  if (typeof value !== 'string') return value === undefined || value === null ? {} : objectOf(value);
  return value.trim() === '' ? {} : objectOf(parseJson(value));
}

/** The value without marks for the provider's cache, wherever they stand: clients move them with every request. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(entries.map(([key, inner]): [string, unknown] => [key, withoutMarks(inner)]));
}
