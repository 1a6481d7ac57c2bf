import { BoughError, isPlainObject } from '@bough/core';

export type Fields = Readonly<Record<string, unknown>>;

export class MalformedError extends BoughError {
  constructor(message: string) {
    super('malformed_record', message);
  }
}

export function objectOf(value: unknown, what: string): Fields {
  if (!isPlainObject(value)) throw new MalformedError(`${what} must be an object.`);
  return value;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedError(`${what} must be a list.`);
  return value;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new MalformedError(`${what} must be a text.`);
  return value;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An id of the source; null where it is missing or empty: two empty ids are not the same record. */
export function idOrNull(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** A field that holds words; what is missing is empty, and what is no text is not taken for nothing. */
export function wordsIn(fields: Fields, name: string): string {
  const value = fields[name];
  return value === undefined || value === null ? '' : textOf(value, name);
}

/** A field that should hold an object. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isPlainObject(value) ? value : {};
}

/** A field that should hold a list; what is missing is empty. */
export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return value === undefined || value === null ? [] : listOf(value, name);
}

/** Seconds or milliseconds since 1970, or a text with a date; null for anything else. */
export function timeOrNull(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  // Seconds until the year 5138; every later number is in milliseconds.
  const time = new Date(typeof value === 'number' && value < 1e11 ? value * 1000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** What a tool was called with, however the source wrote it. */
export function parametersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value;
  if (typeof value !== 'string' || value.trim() === '')
    return value === undefined || value === null || value === '' ? {} : { value };
  try {
    const parsed: unknown = JSON.parse(value);
    return isPlainObject(parsed) ? parsed : { value: parsed };
  } catch (error) {
    // Some tools take plain text: code, a search.
    if (error instanceof SyntaxError) return { value };
    throw error;
  }
}

export function textForm(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
