import { Held } from './held.ts';
import { ListReader } from './list.ts';
import type { Outcome } from './parsed.ts';
import { parsed } from './parsed.ts';
import { Resemblance } from './resemblance.ts';

/** One element of a file: parsed, or the reason why it could not be. */
export type JsonRecord = Outcome & { readonly index: number; readonly line?: number };

type Chunks = AsyncIterable<string>;

export interface ReadingOptions {
  readonly longest?: number;
  /**
   * Whether a value is something that the caller understands: after a torn record, as long as none was whole, it tells
   * a record from a piece of one.
   */
  readonly isKnown?: (value: unknown) => boolean;
}

/** Longest element accepted: longer than any conversation, and short enough to be parsed in memory. */
export const MAX_RECORD_LENGTH = 64 << 20;

/**
 * The elements of a JSON array one at a time, so that an array of gigabytes needs only the memory of its largest
 * element. A file that is not an array is one record. An element that is torn, not JSON, or too long, is named, and the
 * next one is read.
 */
export async function* readJsonRecords(
  chunks: Chunks,
  { longest = MAX_RECORD_LENGTH, isKnown = () => true }: ReadingOptions = {},
): AsyncGenerator<JsonRecord, void> {
  const reader = new ListReader(longest, new Resemblance(isKnown));
  let index = 0;
  const numbered = function* (outcomes: readonly Outcome[]): Generator<JsonRecord, void> {
    for (const outcome of outcomes) yield { index: index++, ...outcome };
  };
  for await (const chunk of chunks) yield* numbered(reader.push(chunk));
  yield* numbered(reader.end());
}

/** One JSON value per line; empty lines are ignored. */
export async function* readJsonLines(
  chunks: Chunks,
  { longest = MAX_RECORD_LENGTH, isKnown = () => true }: ReadingOptions = {},
): AsyncGenerator<JsonRecord & { readonly line: number }, void> {
  const held = new Held(longest);
  const resemblance = new Resemblance(isKnown);
  let line = 0;
  let index = 0;
  const records = function* (text: string | null): Generator<JsonRecord & { readonly line: number }, void> {
    line += 1;
    if (text?.trim() === '') return;
    for (const outcome of ofLine(text, longest, resemblance)) yield { index: index++, ...outcome, line };
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

/** A line whose end was torn off has the next one on it. */
function ofLine(text: string | null, longest: number, resemblance: Resemblance): readonly Outcome[] {
  const outcome = parsed(text);
  if ('value' in outcome) resemblance.learn(text ?? '', outcome.value);
  if ('value' in outcome || text === null || resemblance.next(text, 1) < 0) return [outcome];
  const reader = new ListReader(longest, resemblance);
  const found = [...reader.push(`[${text}`), ...reader.push(']'), ...reader.end()];
  return [outcome, ...found.filter((each) => 'value' in each)];
}
