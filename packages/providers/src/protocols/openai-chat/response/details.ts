import type { Json } from './json.ts';
import { numberAt, stringAt } from './json.ts';

/** Fields that a stream sends in fragments; every other field is sent once and kept unchanged, null included. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

export interface DetailStep {
  /** Which entry of the merged list this fragment belongs to. */
  readonly position: number;
  readonly entry: Json;
  readonly opened: boolean;
}

/**
 * Merges the fragments of `reasoning_details` into the list that is sent back: by index, in order, nothing renamed, no
 * null turned into text. Unmerged entries arrive upstream as duplicates and are refused.
 */
export class DetailsMerge {
  readonly #entries: Record<string, unknown>[] = [];

  get entries(): readonly Json[] {
    return this.#entries;
  }

  push(fragment: Json): DetailStep {
    const found = this.#entries.findLastIndex((entry) => continues(entry, fragment));
    const entry = this.#entries[found];
    if (entry === undefined) {
      const opened = { ...fragment };
      this.#entries.push(opened);
      return { position: this.#entries.length - 1, entry: opened, opened: true };
    }
    for (const [key, value] of Object.entries(fragment)) entry[key] = merged(key, entry[key], value);
    return { position: found, entry, opened: false };
  }
}

function continues(entry: Json, fragment: Json): boolean {
  if (stringAt(entry, 'type') !== stringAt(fragment, 'type')) return false;
  if (numberAt(entry, 'index') !== numberAt(fragment, 'index')) return false;
  // Two signatures or two ids mean two thoughts, whatever their index says.
  return ['id', 'signature'].every((key) => {
    const before = stringAt(entry, key);
    const after = stringAt(fragment, key);
    return before === null || after === null || before === after;
  });
}

function merged(key: string, before: unknown, after: unknown): unknown {
  if (after === null || after === undefined) return before === undefined ? after : before;
  if (GROWING.has(key) && typeof before === 'string' && typeof after === 'string') return before + after;
  return after;
}
