import { isPlainObject } from '@bough/core';

const WIDTH = 110;
/** A text of this many characters without a blank is a signature, a digest or something encrypted: nobody reads it. */
const OPAQUE = 40;
/** The beginning alone would not be enough: encrypted items of one provider all begin alike. */
const SHOWN = 7;

/** JSON for people: what fits on a line stays on it, and opaque values are shortened to their ends. */
export function readable(value: unknown): string {
  return written(withoutNoise(value), '', 0);
}

function cut(text: string): string {
  const isOpaque = text.length > OPAQUE && !/[\s:.|@]/.test(text.slice(0, OPAQUE));
  return isOpaque ? `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}` : text;
}

/** The same value, with its opaque texts shortened to their ends. */
export function withoutNoise(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutNoise(inner)]));
}

function written(value: unknown, indent: string, taken: number): string {
  const line = oneLine(value);
  if (indent.length + taken + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((entry) => `${inner}${written(entry, inner, 1)}`).join(',\n')}\n${indent}]`;
  }
  if (!isPlainObject(value)) return line;
  const entries = Object.entries(value).map(([key, entry]) => {
    const name = `${JSON.stringify(key)}: `;
    return `${inner}${name}${written(entry, inner, name.length + 1)}`;
  });
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${oneLine(entry)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
