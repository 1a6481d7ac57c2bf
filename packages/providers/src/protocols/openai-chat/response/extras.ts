import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';

/**
 * Keys that are content under their own name; any other key is marked as this protocol's, so that it never looks like a
 * block type that Bough knows.
 */
const NAMED: ReadonlySet<string> = new Set([
  'refusal',
  'annotations',
  'audio',
  'images',
  'citations',
  'search_results',
  'function_call',
]);

interface Extra {
  /** Null for what concerns the whole reply: it comes at the end. */
  readonly index: number | null;
  value: unknown;
}

/** Content under keys that have no other place: collected by key, returned as one block each. Nothing is lost. */
export class Extras {
  readonly #byKey = new Map<string, Extra>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** `open` numbers the block when its key is first seen: that is its place in the reply. */
  push(key: string, value: unknown, whole: boolean, open: () => number): void {
    const extra = this.#byKey.get(key);
    if (extra === undefined) this.#byKey.set(key, { index: whole ? null : open(), value });
    else extra.value = whole ? value : grown(extra.value, value);
  }

  blocks(open: () => number): { readonly index: number; readonly block: ContentBlock }[] {
    return [...this.#byKey].map(([key, { index, value }]) => ({
      index: index ?? open(),
      block: NAMED.has(key) ? { type: key, [key]: value } : { type: `openai-chat:${key}`, value },
    }));
  }
}

/** Streams send such values in fragments, like text: strings and lists grow, objects grow field by field. */
function grown(before: unknown, after: unknown): unknown {
  if (typeof before === 'string' && typeof after === 'string') return before + after;
  if (Array.isArray(before) && Array.isArray(after)) return [...before, ...after];
  if (isPlainObject(before) && isPlainObject(after)) {
    const result: Record<string, unknown> = { ...before };
    for (const [key, value] of Object.entries(after)) {
      result[key] = Object.hasOwn(before, key) ? grown(before[key], value) : value;
    }
    return result;
  }
  return after ?? before;
}
