import { isPlainObject } from '@bough/core';

/** One item of `input` or `output`, as it stands in the JSON: what a newer API adds to it stays in it. */
export type WireItem = Readonly<Record<string, unknown>>;

/** Undefined instead of an exception: what a provider sends may be cut anywhere. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

const LONE = /\p{Surrogate}/gu;

/** JSON without halves of surrogate pairs: they have no UTF-8, and the API refuses a body that it cannot decode. */
export function writeJson(value: unknown): string {
  const json = JSON.stringify(value);
  // A whole pair is written as the character that it is: an escape is a half, or text that looks like one.
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' ? inner.replace(LONE, '\ufffd') : inner,
  );
}
