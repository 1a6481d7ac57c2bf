// Where the values of a JSON text stand, without reading them: what a client wrote is kept and sent as it was written.
// Every function here expects text that JSON.parse accepts.

/** The place of a value in a text: `[from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The values of an object's members, by key; of a key that is written twice, the last, as JSON.parse has it. Null if
 * there is no object here.
 */
export function memberSpans(json: string, at = 0): ReadonlyMap<string, Span> | null {
  let next = skipSpace(json, at);
  if (json.charCodeAt(next) !== OPEN_OBJECT) return null;
  const spans = new Map<string, Span>();
  next = skipSpace(json, next + 1);
  while (next < json.length && json.charCodeAt(next) !== CLOSE_OBJECT) {
    const keyEnd = skipString(json, next);
    const key = JSON.parse(json.slice(next, keyEnd)) as string;
    const from = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const to = skipValue(json, from);
    spans.set(key, { from, to });
    next = skipSeparator(json, to);
  }
  return spans;
}

/** The elements of an array, in order. Null if there is no array here. */
export function elementSpans(json: string, at = 0): readonly Span[] | null {
  let next = skipSpace(json, at);
  if (json.charCodeAt(next) !== OPEN_ARRAY) return null;
  const spans: Span[] = [];
  next = skipSpace(json, next + 1);
  while (next < json.length && json.charCodeAt(next) !== CLOSE_ARRAY) {
    const to = skipValue(json, next);
    spans.push({ from: next, to });
    next = skipSeparator(json, to);
  }
  return spans;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LAST_SPACE = 0x20;

// Outside strings, nothing in JSON is below the space but white space.
function skipSpace(json: string, at: number): number {
  let next = at;
  while (json.charCodeAt(next) <= LAST_SPACE) next += 1;
  return next;
}

function skipSeparator(json: string, at: number): number {
  const next = skipSpace(json, at);
  return json.charCodeAt(next) === COMMA ? skipSpace(json, next + 1) : next;
}

function skipValue(json: string, at: number): number {
  const first = json.charCodeAt(at);
  if (first === QUOTE) return skipString(json, at);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(json, at);
  let next = at;
  while (next < json.length && !endsLiteral(json.charCodeAt(next))) next += 1;
  return next;
}

const endsLiteral = (code: number): boolean =>
  code <= LAST_SPACE || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY;

/** Jumps from quote to quote: a picture of megabytes is one jump. */
function skipString(json: string, at: number): number {
  let quote = json.indexOf('"', at + 1);
  while (quote >= 0 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote < 0 ? json.length : quote + 1;
}

function isEscaped(json: string, quote: number): boolean {
  let before = quote - 1;
  while (json.charCodeAt(before) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}

/** Counts instead of calling itself: a body that is nested absurdly deep exhausts no stack. */
function skipNested(json: string, at: number): number {
  let depth = 0;
  let next = at;
  while (next < json.length) {
    const code = json.charCodeAt(next);
    if (code === QUOTE) {
      next = skipString(json, next);
      continue;
    }
    next += 1;
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return next;
    }
  }
  return next;
}
