import { diffLines } from '../difference/index.ts';

/** Lines of a merged text, in order. A conflict is a place that both sides changed, each in its own way. */
export type MergePart =
  | { readonly kind: 'merged'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict';
      readonly base: readonly string[];
      readonly ours: readonly string[];
      readonly theirs: readonly string[];
    };

export const MERGE_CHOICES = ['ours', 'theirs', 'both'] as const;
export type MergeChoice = (typeof MERGE_CHOICES)[number];

/** Lines of the base that one side replaced, as `[start, end)`. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Three-way merge, line by line. Changes that overlap or touch are one place, and a conflict unless they are equal. */
export function merge3(base: string, ours: string, theirs: string): readonly MergePart[] {
  const lines = linesOf(base);
  const [mine, yours] = [hunksOf(base, ours), hunksOf(base, theirs)];
  const parts: MergePart[] = [];
  let at = 0;
  for (const { start, end } of placesOf([...mine, ...yours])) {
    addMerged(parts, lines.slice(at, start));
    const before = lines.slice(start, end);
    const left = applied(lines, mine, start, end);
    const right = applied(lines, yours, start, end);
    if (isSame(left, right) || isSame(right, before)) addMerged(parts, left);
    else if (isSame(left, before)) addMerged(parts, right);
    else parts.push({ kind: 'conflict', base: before, ours: left, theirs: right });
    at = end;
  }
  addMerged(parts, lines.slice(at));
  return parts;
}

export function conflictsIn(parts: readonly MergePart[]): readonly Extract<MergePart, { kind: 'conflict' }>[] {
  return parts.filter((part) => part.kind === 'conflict');
}

/** The merged text, once it is said for each conflict which side counts; null while some are open. */
export function mergedText(parts: readonly MergePart[], choices: readonly MergeChoice[]): string | null {
  const left = [...choices];
  const lines: string[] = [];
  for (const part of parts) {
    if (part.kind === 'merged') {
      lines.push(...part.lines);
      continue;
    }
    const choice = left.shift();
    if (choice === undefined) return null;
    if (choice !== 'theirs') lines.push(...part.ours);
    if (choice !== 'ours') lines.push(...part.theirs);
  }
  return lines.join('\n');
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));
const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

function addMerged(parts: MergePart[], lines: readonly string[]): void {
  const before = parts.at(-1);
  if (lines.length === 0) return;
  if (before?.kind === 'merged') parts[parts.length - 1] = { kind: 'merged', lines: [...before.lines, ...lines] };
  else parts.push({ kind: 'merged', lines });
}

function hunksOf(base: string, changed: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { start: number; lines: string[] } | null = null;
  const close = (): void => {
    if (open !== null) hunks.push({ start: open.start, end: at, lines: open.lines });
    open = null;
  };
  for (const line of diffLines(base, changed, 0).lines) {
    if (line.kind === 'gap' || line.kind === 'same') {
      close();
      at += line.kind === 'gap' ? line.count : 1;
      continue;
    }
    const hunk = (open ??= { start: at, lines: [] });
    if (line.kind === 'added') hunk.lines.push(line.text);
    else at += 1;
  }
  close();
  return hunks;
}

/** The places that either side changed, with those that touch as one. */
function placesOf(hunks: readonly Hunk[]): readonly Pick<Hunk, 'start' | 'end'>[] {
  const places: { start: number; end: number }[] = [];
  for (const { start, end } of hunks.toSorted((a, b) => a.start - b.start)) {
    const last = places.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else places.push({ start, end });
  }
  return places;
}

/** The lines of a place as one side has them. */
function applied(base: readonly string[], hunks: readonly Hunk[], start: number, end: number): readonly string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    if (hunk.start < start || hunk.end > end) continue;
    lines.push(...base.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...lines, ...base.slice(at, end)];
}
