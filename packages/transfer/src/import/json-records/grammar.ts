import { MAX_NESTING } from '@bough/core';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff;

/** What may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'rest of a literal';

/**
 * Follows one element of a list to its end without building it. It knows enough of JSON's grammar to notice that an
 * element was torn right where that happened: counting brackets alone would take everything that follows for a part of
 * it, because half a string turns what is inside strings and what is outside around.
 */
export class Grammar {
  /** Whether the text cannot be JSON any more; brackets and strings are still followed. */
  isBroken = false;
  /** Whether what broke it came after its end, so that the element itself is whole. */
  isWhole = false;
  #isLenient = false;
  #expected: Expected = 'value';
  #depth = 0;
  /** 1 where the level is an object. */
  readonly #isObject = new Uint8Array(MAX_NESTING + 1);
  #inString = false;
  #isKey = false;
  #isEscaped = false;

  reset(): void {
    this.isBroken = false;
    this.isWhole = false;
    this.#isLenient = false;
    this.#expected = 'value';
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
  }

  /**
   * Reads on from a place. Returns where it stopped: at the comma or bracket after the element, at the character that
   * breaks it (`isBroken` is set then), or at the end of the text.
   */
  follow(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      if (this.#inString) {
        at = this.#endOfString(text, at);
        if (at === text.length) return at;
        continue;
      }
      const code = text.charCodeAt(at);
      if (this.#depth === 0 && (code === COMMA || code === CLOSE_LIST)) return at;
      if (isSpace(code)) {
        if (this.#expected === 'rest of a literal') this.#expected = 'comma or end';
        continue;
      }
      const isEnded = this.#depth === 0 && isAfterValue(this.#expected);
      if (!this.#take(code) && !this.#isLenient) {
        this.isBroken = true;
        this.isWhole = isEnded;
        this.#isLenient = true;
        return at;
      }
    }
    return text.length;
  }

  #endOfString(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) {
        this.#inString = false;
        this.#expected = this.#isKey ? 'colon' : 'comma or end';
        return at;
      }
    }
    return text.length;
  }

  /** Whether the character may stand here. */
  #take(code: number): boolean {
    const expected = this.#expected;
    switch (code) {
      case QUOTE: {
        const isKey = expected === 'key' || expected === 'key or end';
        this.#inString = true;
        this.#isKey = isKey;
        return isKey || isValue(expected);
      }
      case OPEN_OBJECT:
      case OPEN_LIST:
        this.#depth += 1;
        // Deeper than anything that is imported: the element will be refused for it, and only its end matters.
        if (this.#depth > MAX_NESTING) this.#isLenient = true;
        else this.#isObject[this.#depth] = code === OPEN_OBJECT ? 1 : 0;
        this.#expected = code === OPEN_OBJECT ? 'key or end' : 'value or end';
        return isValue(expected);
      case CLOSE_OBJECT:
      case CLOSE_LIST: {
        if (this.#depth === 0) return false;
        const closes = (this.#isObject[this.#depth] === 1) === (code === CLOSE_OBJECT);
        this.#depth -= 1;
        this.#expected = 'comma or end';
        const empty = code === CLOSE_OBJECT ? 'key or end' : 'value or end';
        return closes && (isAfterValue(expected) || expected === empty);
      }
      case COMMA:
        this.#expected = this.#isObject[this.#depth] === 1 ? 'key' : 'value';
        return isAfterValue(expected);
      case COLON:
        this.#expected = 'value';
        return expected === 'colon';
      default:
        // A number, true, false, null or anything like it: what it really is, the parser finds out.
        this.#expected = 'rest of a literal';
        return (isValue(expected) || expected === 'rest of a literal') && isLiteral(code);
    }
  }
}

const isValue = (expected: Expected): boolean => expected === 'value' || expected === 'value or end';

const isAfterValue = (expected: Expected): boolean => expected === 'comma or end' || expected === 'rest of a literal';

const isLiteral = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x2b ||
  code === 0x2e ||
  code === 0x45;
