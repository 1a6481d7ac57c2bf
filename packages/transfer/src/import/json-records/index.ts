import { isNestedTooDeep, MAX_NESTING } from '@bough/core';

/** One element of a file: parsed, or the reason why it could not be. */
export type JsonRecord =
  | { readonly index: number; readonly value: unknown; readonly line?: number }
  | { readonly index: number; readonly error: string; readonly line?: number };

type Chunks = AsyncIterable<string>;

/** Longest element accepted: longer than any conversation, and short enough to be parsed in memory. */
export const MAX_RECORD_LENGTH = 64 << 20;

/**
 * The elements of a JSON array one at a time, so that an array of gigabytes needs only the memory of its largest
 * element. A file that is not an array is one record. An element that is not JSON, or too long, is named, and the next
 * one is read.
 */
export async function* readJsonRecords(chunks: Chunks, longest = MAX_RECORD_LENGTH): AsyncGenerator<JsonRecord, void> {
  const splitter = new ArraySplitter(longest);
  let index = 0;
  for await (const chunk of chunks) {
    for (const text of splitter.push(chunk)) {
      yield parsed(index, text);
      index += 1;
    }
  }
  const rest = splitter.end();
  if (rest.text === null || rest.text.trim() !== '') yield parsed(index, rest.text);
  else if (!rest.complete) yield { index, error: 'The file ends in the middle of its list.' };
}

/** One JSON value per line; empty lines are ignored. */
export async function* readJsonLines(
  chunks: Chunks,
  longest = MAX_RECORD_LENGTH,
): AsyncGenerator<JsonRecord & { readonly line: number }, void> {
  const held = new Held(longest);
  let line = 0;
  let index = 0;
  const records = function* (text: string | null): Generator<JsonRecord & { readonly line: number }, void> {
    line += 1;
    if (text?.trim() === '') return;
    yield { ...parsed(index, text), line };
    index += 1;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      held.add(chunk.slice(start, end));
      yield* records(held.take());
      start = end + 1;
    }
    held.add(chunk.slice(start));
  }
  yield* records(held.take());
}

/** `null` stands for a text that was too long to hold. */
function parsed(index: number, text: string | null): JsonRecord {
  if (text === null) return { index, error: 'It is larger than anything that is imported.' };
  if (isNestedTooDeep(text)) return { index, error: `It is nested deeper than ${MAX_NESTING} levels.` };
  try {
    return { index, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { index, error: `It is not valid JSON: ${error.message}` };
    throw error;
  }
}

/**
 * A text that comes in pieces. One that grows too long is discarded at once: a file may hold an element of any size.
 */
class Held {
  readonly #longest: number;
  #pieces: string[] = [];
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#longest) this.#pieces = [];
    else if (piece !== '') this.#pieces.push(piece);
  }

  take(): string | null {
    const text = this.#length > this.#longest ? null : this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff;

/**
 * Finds where the elements of a top-level array begin and end; strings are skipped, so that brackets inside them do not
 * count.
 */
class ArraySplitter {
  #kind: 'unknown' | 'array' | 'other' = 'unknown';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;
  /** The element so far, without the chunk that is being read. */
  readonly #held: Held;

  constructor(longest: number) {
    this.#held = new Held(longest);
  }

  push(chunk: string): (string | null)[] {
    const elements: (string | null)[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === BACKSLASH) this.#escaped = true;
        else if (code === QUOTE) this.#inString = false;
        continue;
      }
      if (this.#kind === 'unknown') {
        if (isSpace(code)) {
          start = at + 1;
          continue;
        }
        this.#kind = code === 0x5b ? 'array' : 'other';
        if (this.#kind === 'array') {
          start = at + 1;
          continue;
        }
      }
      if (this.#kind === 'other') break;
      if (code === QUOTE) this.#inString = true;
      else if (OPEN.has(code)) this.#depth += 1;
      else if (CLOSE.has(code)) {
        if (this.#depth > 0) this.#depth -= 1;
        else {
          this.#take(chunk.slice(start, at), elements);
          this.#ended = true;
          start = at + 1;
        }
      } else if (code === COMMA && this.#depth === 0 && !this.#ended) {
        this.#take(chunk.slice(start, at), elements);
        start = at + 1;
      }
    }
    this.#held.add(chunk.slice(start));
    return elements;
  }

  end(): { readonly text: string | null; readonly complete: boolean } {
    return { text: this.#held.take(), complete: this.#kind !== 'array' || this.#ended };
  }

  #take(last: string, elements: (string | null)[]): void {
    this.#held.add(last);
    const text = this.#held.take();
    if (text?.trim() !== '') elements.push(text);
  }
}
