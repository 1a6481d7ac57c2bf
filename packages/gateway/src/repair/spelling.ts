import { isPlainObject, stableStringify } from '@bough/core';
import type { Span } from '../dialects/scan.ts';
import { elementSpans, memberSpans } from '../dialects/scan.ts';

/**
 * Writes a changed value as JSON, with every part that is still the same spelled as it was: key order, numbers and
 * escapes count for a provider's cache, and for thinking that is bound to what came before it. `before` is what `text`
 * parses to.
 */
export function respelled(text: string, before: unknown, after: unknown): string {
  return write(text, { from: 0, to: text.length }, before, after);
}

function write(text: string, span: Span, before: unknown, after: unknown): string {
  if (isSame(before, after)) return text.slice(span.from, span.to);
  if (Array.isArray(before) && Array.isArray(after)) {
    const spans = elementSpans(text, span.from) ?? [];
    const placeOf = places(before);
    return `[${after
      .map((element: unknown, at) => {
        const place = placeOf(element) ?? at;
        return writeAt(text, spans[place], before[place], element);
      })
      .join(',')}]`;
  }
  if (isPlainObject(before) && isPlainObject(after)) {
    const spans = memberSpans(text, span.from);
    return `{${Object.entries(after)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${JSON.stringify(key)}:${writeAt(text, spans?.get(key), before[key], value)}`)
      .join(',')}}`;
  }
  return JSON.stringify(after);
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  return typeof before === 'object' && typeof after === 'object' && stableStringify(before) === stableStringify(after);
}

/** Where an element stood before elements were added or taken out. */
function places(before: readonly unknown[]): (element: unknown) => number | undefined {
  const byIdentity = new Map(before.map((element, at) => [element, at]));
  let byValue: Map<string, number> | null = null;
  return (element) => {
    const found = byIdentity.get(element);
    if (found !== undefined || typeof element !== 'object') return found;
    byValue ??= new Map(before.map((other, at) => [stableStringify(other), at]));
    return byValue.get(stableStringify(element));
  };
}

function writeAt(text: string, span: Span | undefined, before: unknown, after: unknown): string {
  return span === undefined ? JSON.stringify(after) : write(text, span, before, after);
}
