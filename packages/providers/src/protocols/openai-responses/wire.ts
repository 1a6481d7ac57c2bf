import { isPlainObject } from '@bough/core';

/** One item of `input` or `output`, as it is in the JSON: fields added by a newer API are kept. */
export type WireItem = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): WireItem | undefined {
  return isPlainObject(value) ? value : undefined;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list, in order; anything else in it is left out. */
export function objectsOf(value: unknown): readonly WireItem[] {
  return listOf(value).filter(isPlainObject);
}

export function typeOf(item: WireItem): string {
  return stringOf(item['type']) ?? '';
}

export function without(item: WireItem, ...keys: readonly string[]): WireItem {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}
