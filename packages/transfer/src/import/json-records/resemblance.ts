import { isPlainObject } from '@bough/core';

/** How many of the keys of a whole record another one must have to be taken for one, too. */
const SHARE = 0.7;
/** Fewer keys than this tell nothing. */
const TELLING = 2;
/** Where the first key of a record is looked for. */
const HEAD = 1_000;
const FIRST_KEY = /^\s*\{\s*"((?:[^"\\]|\\.)+)"\s*:/;

/**
 * What the records of a file have in common. One program wrote them all: they begin with the same key, and have much
 * the same keys. By this a record is recognized after a torn one, where nothing else tells a record from a piece of it.
 */
export class Resemblance {
  #begins: RegExp | null = null;
  #keys: readonly string[] = [];
  readonly #isKnown: (value: unknown) => boolean;

  /** What counts as long as no record was whole: whether the value is anything that is understood. */
  constructor(isKnown: (value: unknown) => boolean) {
    this.#isKnown = isKnown;
  }

  /** One that is unlike the others teaches nothing: it may be a record that lost a bracket. */
  learn(text: string, value: unknown): void {
    if (!isPlainObject(value) || (this.#keys.length >= TELLING && !this.isLike(value))) return;
    this.begin(text);
    this.#keys = Object.keys(value);
  }

  /** Learns from a record of which only the beginning is there. */
  begin(text: string): void {
    const key = FIRST_KEY.exec(text.slice(0, HEAD))?.[1];
    if (key !== undefined) this.#begins = new RegExp(String.raw`\{\s*"${escaped(key)}"\s*:`, 'g');
  }

  /** The next place, from one on, where a record may begin; -1 where there is none. */
  next(text: string, from: number): number {
    if (this.#begins === null) return -1;
    this.#begins.lastIndex = from;
    return this.#begins.exec(text)?.index ?? -1;
  }

  isLike(value: unknown): boolean {
    if (this.#keys.length < TELLING) return this.#isKnown(value);
    if (!isPlainObject(value)) return false;
    return this.#keys.filter((key) => key in value).length >= this.#keys.length * SHARE;
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
