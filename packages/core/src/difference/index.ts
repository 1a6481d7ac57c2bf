export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  /** Unchanged lines that nobody needs to read again. */
  | { readonly kind: 'gap'; readonly count: number };

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

/** Beyond this many cells the middle is shown as replaced: an exact comparison would stall the caller. */
const MAX_CELLS = 1_000_000;

/**
 * The difference between two texts, line by line, with `around` unchanged lines kept on either side of each change. An
 * empty text has no lines.
 */
export function diffLines(before: string, after: string, around = 2): Diff {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const lines = [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
  return {
    lines: fold(lines, around),
    added: middle.filter((line) => line.kind === 'added').length,
    removed: middle.filter((line) => line.kind === 'removed').length,
  };
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

type Line = Extract<DiffLine, { text: string }>;
const same = (text: string): Line => ({ kind: 'same', text });
const added = (text: string): Line => ({ kind: 'added', text });
const removed = (text: string): Line => ({ kind: 'removed', text });

/** Longest common subsequence by table. */
function compare(a: readonly string[], b: readonly string[], maxCells = MAX_CELLS): readonly Line[] {
  if (a.length * b.length > maxCells) return [...a.map(removed), ...b.map(added)];
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

/** Words are many more than lines: two texts of two thousand words each are still compared word by word. */
const MAX_WORD_CELLS = 4_000_000;

/**
 * The difference between two texts, word by word, as runs that join to either text. Lines that are the same are found
 * first, so that only what changed between them is compared by its words; a stretch that is too long for that is shown
 * as replaced.
 */
export function diffWords(before: string, after: string): readonly WordRun[] {
  let [from, to] = ['', ''];
  const words: Line[] = [];
  const close = (): void => {
    words.push(...compare(wordsOf(from), wordsOf(to), MAX_WORD_CELLS));
    [from, to] = ['', ''];
  };
  for (const line of compare(linesWithEnds(before), linesWithEnds(after))) {
    if (line.kind === 'removed') from += line.text;
    else if (line.kind === 'added') to += line.text;
    else {
      close();
      words.push(line);
    }
  }
  close();
  return joined(words);
}

/**
 * Neighbours of a kind as one run, what went before what came. Spaces and commas alone between two changes belong to
 * both: a change of three words is read as one, not as three.
 */
function joined(words: readonly Line[]): readonly WordRun[] {
  const runs: WordRun[] = [];
  let [gone, come, same] = ['', '', ''];
  const close = (): void => {
    const space = /\s*$/.exec(gone)?.[0] ?? '';
    if (space !== '' && come.endsWith(space)) {
      [gone, come, same] = [gone.slice(0, -space.length), come.slice(0, -space.length), `${space}${same}`];
    }
    if (gone !== '') runs.push({ kind: 'removed', text: gone });
    if (come !== '') runs.push({ kind: 'added', text: come });
    if (same !== '') runs.push({ kind: 'same', text: same });
    [gone, come, same] = ['', '', ''];
  };
  for (const { kind, text } of words) {
    if (kind === 'same') {
      same += text;
      continue;
    }
    if (same !== '') {
      const isBetween = gone !== '' || come !== '';
      if (isBetween && !/[\p{L}\p{N}]/u.test(same)) {
        gone += same;
        come += same;
        same = '';
      } else close();
    }
    if (kind === 'removed') gone += text;
    else come += text;
  }
  close();
  return runs;
}

/** A stretch of words that both texts have, or that only one of them has. */
export interface WordRun {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

const linesWithEnds = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** Also splits languages that put no spaces between their words. */
const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
const wordsOf = (text: string): readonly string[] => Array.from(WORDS.segment(text), ({ segment }) => segment);

function fold(lines: readonly Line[], around: number): readonly DiffLine[] {
  const near = new Uint8Array(lines.length);
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'same') continue;
    near.fill(1, Math.max(0, index - around), index + around + 1);
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
