import type { Diff, DiffLine } from '@bough/core';
import { diffLines } from '@bough/core';
import { parseJson } from '../dialects/json.ts';

/** A picture is one line of megabytes, and nobody reads it. */
const LONGEST_LINE = 2_000;
const MOST_LINES = 4_000;
const AROUND = 3;

/** A difference for people: some of its lines may be cut, and it may end early. */
export interface ReadableDifference extends Diff {
  /** How many lines are left out at the end. */
  readonly more: number;
}

/** What differs between two bodies, line by line, each value on a line of its own. */
export function bodyDifference(came: string, sent: string): ReadableDifference {
  const { lines, added, removed } = diffLines(readable(came), readable(sent), AROUND);
  return {
    lines: lines.slice(0, MOST_LINES).map(cutLine),
    added,
    removed,
    more: Math.max(0, lines.length - MOST_LINES),
  };
}

/** The same value, indented; what is no JSON stays as it is. */
export function readable(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

function cutLine(line: DiffLine): DiffLine {
  if (line.kind === 'gap' || line.text.length <= LONGEST_LINE) return line;
  return { ...line, text: `${line.text.slice(0, LONGEST_LINE)}…` };
}
