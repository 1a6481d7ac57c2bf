import type { ContentBlock } from '../blocks/index.ts';
import { isPlainObject, isTextBlock } from '../blocks/index.ts';
import { chunkSource } from './gemini.ts';
import type { Json } from './read.ts';
import { fieldsOf, lineAt, objectAt, objectsAt, sourceKey, sourceOf, stringAt } from './read.ts';
import type { Citation } from './types.ts';

/** One text of a reply, as it is read: the blocks that a provider cut it into, joined as they are. */
interface Piece {
  readonly start: number;
  readonly text: string;
}

const MAX_CITATIONS = 1_000;

/**
 * The citations of one text that is given by its blocks: its texts, and what accompanies them. Offsets count in the
 * texts joined as they are. In order, and each once.
 */
export function citationsOf(blocks: readonly ContentBlock[]): readonly Citation[] {
  const pieces: Piece[] = [];
  let text = '';
  for (const block of blocks) {
    if (!isTextBlock(block)) continue;
    pieces.push({ start: text.length, text: block.text });
    text += block.text;
  }
  const found: (Citation | null)[] = [];
  let before: Piece | undefined;
  let at = 0;
  for (const block of blocks) {
    if (isTextBlock(block)) {
      before = pieces[at];
      at += 1;
      continue;
    }
    const fields = fieldsOf(block);
    // What comes before every text is about the first.
    const about = before ?? pieces[0] ?? { start: 0, text: '' };
    if (block.type === 'citations') found.push(...claudeCitations(fields, about));
    else if (block.type === 'annotations') found.push(...annotations(fields, about));
    else if (block.type === 'gemini:groundingMetadata') found.push(...groundings(fields, text));
  }
  return inOrder(found, text.length);
}

function inOrder(found: readonly (Citation | null)[], length: number): readonly Citation[] {
  const known = new Map<string, Citation>();
  for (const citation of found) {
    if (citation === null || known.size >= MAX_CITATIONS) continue;
    const { start, end, source } = citation;
    if (start < 0 || end > length || start > end) continue;
    const key = `${start} ${end} ${sourceKey(source)}`;
    if (!known.has(key)) known.set(key, citation);
  }
  return [...known.values()].sort((one, other) => one.end - other.end || one.start - other.start);
}

/** Claude cuts its text so that citations are about the whole block before them. */
function claudeCitations(block: Json, { start, text }: Piece): (Citation | null)[] {
  return objectsAt(block, 'citations').map((citation) => {
    const title = lineAt(citation, 'title') ?? lineAt(citation, 'document_title') ?? lineAt(citation, 'source');
    const source = sourceOf(citation['url'] ?? citation['source'], title);
    if (source === null) return null;
    return { start, end: start + text.trimEnd().length, source, quoted: lineAt(citation, 'cited_text') };
  });
}

/** OpenAI and those who speak its languages; Chat Completions puts the same fields one level deeper. */
function annotations(block: Json, piece: Piece): (Citation | null)[] {
  return objectsAt(block, 'annotations').map((note) => {
    if (note['type'] === 'file_citation') {
      const source = sourceOf(null, note['filename']);
      const index = offsetAt(note, 'index');
      if (source === null || index === null) return null;
      const place = piece.start + Math.min(unitsOf(piece.text, index), piece.text.length);
      return { start: place, end: place, source, quoted: null };
    }
    if (note['type'] !== 'url_citation') return null;
    const fields = note['url_citation'] === undefined ? note : objectAt(note, 'url_citation');
    const source = sourceOf(fields['url'], fields['title']);
    const start = offsetAt(fields, 'start_index');
    const end = offsetAt(fields, 'end_index');
    if (source === null || start === null || end === null) return null;
    const counts = countsUnits(piece.text, start, end, source.url) ? (_: string, offset: number) => offset : unitsOf;
    return {
      start: piece.start + counts(piece.text, start),
      end: piece.start + counts(piece.text, end),
      source,
      quoted: lineAt(fields, 'content'),
    };
  });
}

/** Offsets count characters, which are not always units of a string. The cited range usually holds the address. */
function countsUnits(text: string, start: number, end: number, url: string | null): boolean {
  return url !== null && text.slice(start, end).includes(url);
}

function unitsOf(text: string, characters: number): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return characters;
  let units = 0;
  let count = 0;
  for (const character of text) {
    if (count >= characters) return units;
    units += character.length;
    count += 1;
  }
  return units + (characters - count);
}

/** Gemini counts bytes, from the beginning of the whole text, and repeats the words: they decide. */
function groundings(block: Json, text: string): (Citation | null)[] {
  const data = objectAt(block, 'data');
  // By their places: one that is unreadable must not move the others.
  const chunks: readonly unknown[] = Array.isArray(data['groundingChunks']) ? data['groundingChunks'] : [];
  return objectsAt(data, 'groundingSupports').flatMap((support) => {
    const range = rangeOf(objectAt(support, 'segment'), text);
    const indices: unknown = support['groundingChunkIndices'];
    if (range === null || !Array.isArray(indices)) return [];
    return indices.slice(0, MAX_CITATIONS).map((index: unknown) => {
      const chunk = typeof index === 'number' ? chunks[index] : undefined;
      const source = isPlainObject(chunk) ? chunkSource(chunk) : null;
      return source === null ? null : { ...range, source, quoted: null };
    });
  });
}

function rangeOf(segment: Json, text: string): { readonly start: number; readonly end: number } | null {
  const startByte = offsetAt(segment, 'startIndex') ?? 0;
  const endByte = offsetAt(segment, 'endIndex');
  const words = stringAt(segment, 'text');
  const start = unitsOfBytes(text, startByte);
  if (words !== null) {
    if (text.startsWith(words, start)) return { start, end: start + words.length };
    const found = text.indexOf(words);
    return found < 0 ? null : { start: found, end: found + words.length };
  }
  return endByte === null ? null : { start, end: unitsOfBytes(text, endByte) };
}

function unitsOfBytes(text: string, bytes: number): number {
  let counted = 0;
  let units = 0;
  for (const character of text) {
    if (counted >= bytes) return units;
    const code = character.codePointAt(0) ?? 0;
    counted += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += character.length;
  }
  return units;
}

function offsetAt(of: Json, key: string): number | null {
  const value = of[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
