import type { LogEntry } from '../../store.ts';
import { toStorable } from '../connection/exact-text.ts';

/** Texts as one run of bytes, and where each of them stands in it, from 1 on. */
export interface OneRun {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

/**
 * The texts of a log as they are sent: the database cuts them from one run of bytes (`CUT_TEXT`). In an array each
 * character would have to be checked for escaping.
 */
export function inOneRun(entries: readonly Pick<LogEntry, 'data'>[]): OneRun {
  const texts = entries.map(({ data }) => toStorable(data));
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  const starts: number[] = [];
  let end = 0;
  for (const text of texts) {
    starts.push(end + 1);
    end += bytes.write(text, end);
  }
  return { bytes, starts, lengths };
}

/** A text of the run `texts.bytes`, whose place is `given`. */
export const CUT_TEXT = `convert_from(substring(texts.bytes FROM given.start FOR given.length), 'UTF8')`;
