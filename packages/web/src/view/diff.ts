import type { DiffLine } from '@bough/core';
import { jsonText } from './json-text.ts';

const MAX_LINES = 1500;
const MAX_LINE = 20_000;
const MAX_SHOWN = 200_000;

/**
 * The first lines of a difference, as many as a page lays out without a pause; a line longer than that many screens (a
 * whole message is one line) is cut.
 */
export function beginningOf(lines: readonly DiffLine[]): readonly DiffLine[] {
  const shown: DiffLine[] = [];
  let room = MAX_SHOWN;
  for (const line of lines) {
    if (room <= 0 || shown.length >= MAX_LINES) break;
    if (line.kind === 'gap') shown.push(line);
    else {
      const limit = Math.min(MAX_LINE, room);
      room -= line.text.length;
      shown.push(line.text.length > limit ? { ...line, text: `${line.text.slice(0, limit)}…` } : line);
    }
  }
  return shown;
}

/** A request body formatted for reading; what is not JSON is left unchanged. */
export function pretty(body: string): string {
  try {
    return jsonText(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}
