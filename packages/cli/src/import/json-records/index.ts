/** One element of a file: parsed, or the reason why it could not be. */
export type JsonRecord =
  | { readonly index: number; readonly value: unknown; readonly line?: number }
  | { readonly index: number; readonly error: string; readonly line?: number };

type Chunks = AsyncIterable<string>;

/**
 * The elements of a JSON array one at a time, so that an array of gigabytes needs the memory of its largest element. A file that is no
 * array is one record. An element that is not JSON is named, and the next one is read.
 */
export async function* readJsonRecords(chunks: Chunks): AsyncGenerator<JsonRecord, void> {
  const splitter = new ArraySplitter();
  let index = 0;
  for await (const chunk of chunks) {
    for (const text of splitter.push(chunk)) {
      yield parsed(index, text);
      index += 1;
    }
  }
  const rest = splitter.end();
  if (rest.text.trim() !== '') yield parsed(index, rest.text);
  else if (!rest.complete) yield { index, error: 'The file ends in the middle of its list.' };
}

/** One JSON value a line; empty lines count for nothing. */
export async function* readJsonLines(chunks: Chunks): AsyncGenerator<JsonRecord, void> {
  let rest = '';
  let line = 0;
  let index = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      yield { ...parsed(index, text), line };
      index += 1;
    }
  }
  if (rest.trim() !== '') yield { ...parsed(index, rest), line: line + 1 };
}

function parsed(index: number, text: string): JsonRecord {
  try {
    return { index, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { index, error: `It is not valid JSON: ${error.message}` };
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff;

/** Finds where the elements of a top-level array begin and end; strings are skipped, so that no bracket inside one counts. */
class ArraySplitter {
  #kind: 'unknown' | 'array' | 'other' = 'unknown';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;
  /** The element so far, without the chunk that is being read. */
  #held: string[] = [];

  push(chunk: string): string[] {
    const elements: string[] = [];
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
    if (start < chunk.length) this.#held.push(chunk.slice(start));
    return elements;
  }

  end(): { readonly text: string; readonly complete: boolean } {
    return { text: this.#held.join(''), complete: this.#kind !== 'array' || this.#ended };
  }

  #take(last: string, elements: string[]): void {
    const text = [...this.#held, last].join('');
    this.#held = [];
    if (text.trim() !== '') elements.push(text);
  }
}
