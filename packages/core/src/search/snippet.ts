import type { MappedLine } from './fold.ts';
import { foldMapped } from './fold.ts';
import type { SearchTerm } from './match.ts';
import { findTerm } from './match.ts';

/** A piece of a snippet. Data, never markup: whoever shows it decides how a hit looks. */
export interface SnippetPart {
  readonly text: string;
  readonly hit: boolean;
}

const BEFORE = 60;
const LENGTH = 220;
/** Long texts are looked at slice by slice; a term that crosses the border is found in the overlap. */
const SLICE = 16_384;
const OVERLAP = 512;

/** The text around the first place that has one of the terms, or its beginning. */
export function snippetOf(text: string, terms: readonly SearchTerm[]): readonly SnippetPart[] {
  const whole = text.normalize('NFC');
  for (let start = 0; start === 0 || start < whole.length - OVERLAP; start += SLICE - OVERLAP) {
    const slice = sliceOf(whole, start, start + SLICE);
    const mapped = foldMapped(slice);
    const first = Math.min(...terms.map((term) => findTerm(mapped.line, term)).filter((at) => at >= 0));
    if (!Number.isFinite(first)) continue;
    const from = borderBefore(slice, Math.max(0, (mapped.starts[first] ?? 0) - BEFORE));
    return partsOf(slice, mapped, terms, from, {
      before: start + from > 0,
      after: start + slice.length < whole.length,
    });
  }
  const slice = sliceOf(whole, 0, SLICE);
  return partsOf(slice, foldMapped(slice), [], 0, { before: false, after: slice.length < whole.length });
}

function partsOf(
  text: string,
  { line, starts }: MappedLine,
  terms: readonly SearchTerm[],
  from: number,
  more: { readonly before: boolean; readonly after: boolean },
): readonly SnippetPart[] {
  const to = borderBefore(text, Math.min(text.length, from + LENGTH));
  const marked = Array.from({ length: to - from }, () => false);
  for (const term of terms) {
    const { length } = term.literal;
    for (let at = findTerm(line, term); at >= 0; at = findTerm(line, term, at + Math.max(1, length))) {
      const begin = Math.max(from, starts[at] ?? to);
      if (begin >= to) break;
      const end = endOf(starts, at + length - 1);
      for (let place = begin; place < Math.min(to, end); place += 1) marked[place - from] = true;
    }
  }
  const parts: { text: string; hit: boolean }[] = [];
  if (more.before) parts.push({ text: '…', hit: false });
  for (let at = from; at < to; at += 1) {
    const hit = marked[at - from] === true;
    const last = parts.at(-1);
    const character = text.charAt(at);
    if (last?.hit === hit) last.text += character;
    else parts.push({ text: character, hit });
  }
  if (more.after || to < text.length) parts.push({ text: '…', hit: false });
  return joined(parts.map(({ text: piece, hit }) => ({ text: piece.replace(/\s+/g, ' '), hit })));
}

/** Where the part of the text ends that became this character of the line. */
function endOf(starts: readonly number[], at: number): number {
  let next = at + 1;
  while (next < starts.length - 1 && starts[next] === starts[at]) next += 1;
  return starts[next] ?? 0;
}

function joined(parts: readonly SnippetPart[]): readonly SnippetPart[] {
  const found: { text: string; hit: boolean }[] = [];
  for (const { text, hit } of parts) {
    const last = found.at(-1);
    if (last?.hit === hit) last.text += text;
    else found.push({ text, hit });
  }
  return found;
}

/** The beginning of the word at this place, if it is near: a snippet should not begin with half a word. */
function borderBefore(text: string, at: number): number {
  if (at === 0 || at >= text.length) return at;
  for (let place = at; place > Math.max(0, at - 20); place -= 1) if (/\s/.test(text.charAt(place - 1))) return place;
  return isLow(text, at) ? at - 1 : at;
}

/** Never through the middle of a character. */
function sliceOf(text: string, from: number, to: number): string {
  return text.slice(isLow(text, from) ? from + 1 : from, isLow(text, to) ? to + 1 : to);
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
