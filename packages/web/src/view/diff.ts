import { jsonText } from './json-text.ts';

export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  /** Unchanged lines that nobody needs to read again. */
  | { readonly kind: 'gap'; readonly count: number };

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

/** Beyond this many cells the middle is shown as replaced: exact comparison would stall the page. */
const MAX_CELLS = 1_000_000;
const AROUND = 2;
const MAX_LINES = 1500;
const MAX_LINE = 20_000;
const MAX_SHOWN = 200_000;

/** The difference of two texts, line by line, with unchanged stretches folded. */
export function diffLines(before: string, after: string): Diff {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const lines = [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
  return {
    lines: fold(lines),
    added: middle.filter((line) => line.kind === 'added').length,
    removed: middle.filter((line) => line.kind === 'removed').length,
  };
}

/**
 * The first lines of a difference, as many as a page lays out without a pause; a line that is longer than that many screens (a whole message is one) is cut.
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

/** A request body in the form in which people read it; what is not JSON stays as it is. */
export function pretty(body: string): string {
  try {
    return jsonText(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}

type Line = Extract<DiffLine, { text: string }>;
const same = (text: string): Line => ({ kind: 'same', text });
const added = (text: string): Line => ({ kind: 'added', text });
const removed = (text: string): Line => ({ kind: 'removed', text });

/** Longest common subsequence by table. */
function compare(a: readonly string[], b: readonly string[]): readonly Line[] {
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push(same(left));
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}

function fold(lines: readonly Line[]): readonly DiffLine[] {
  const near = new Uint8Array(lines.length);
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'same') continue;
    near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  }
  const folded: DiffLine[] = [];
  let gap = 0;
  const close = (): void => {
    if (gap > 0) folded.push({ kind: 'gap', count: gap });
    gap = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near[index] === 0) {
      gap += 1;
      continue;
    }
    close();
    folded.push(line);
  }
  close();
  return folded;
}
