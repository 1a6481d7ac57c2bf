import { isPlainObject } from '@bough/core';
import { parseJson } from '../../../render/json-text.ts';

// Readers for JSON that a server sent: a value of an unexpected shape counts as absent and never throws.

export type Json = Readonly<Record<string, unknown>>;

export function parseObject(text: string): Json | null {
  const value = parseJson(text);
  return isPlainObject(value) ? value : null;
}

export const objectAt = (json: Json, key: string): Json | null => {
  const value = json[key];
  return isPlainObject(value) ? value : null;
};

export const stringAt = (json: Json, key: string): string | null => {
  const value = json[key];
  return typeof value === 'string' ? value : null;
};

export const numberAt = (json: Json, key: string): number | null => {
  const value = json[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

export const listAt = (json: Json, key: string): readonly unknown[] => {
  const value = json[key];
  return Array.isArray(value) ? value : [];
};

/** The objects of a list. A stream sends thousands of one-element lists: those are not copied. */
export const objectsAt = (json: Json, key: string): readonly Json[] => {
  const list = listAt(json, key);
  return list.every(isPlainObject) ? list : list.filter(isPlainObject);
};

/** The first of these fields that holds text; servers that fill two of them fill both with the same text. */
export function firstText(json: Json, keys: readonly string[]): string {
  for (const key of keys) {
    const value = json[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
