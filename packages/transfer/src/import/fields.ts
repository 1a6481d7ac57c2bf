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
