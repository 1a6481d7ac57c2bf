import { objectHeader, objectId } from './object.ts';
import { deflatePiece, joinPieces, type Piece } from './zlib-stream.ts';

/**
 * The text of a `nodes.jsonl`. git needs the whole file as a new object for every added line; a text kept in chunks,
 * each compressed once, reduces that to compressing one chunk, hashing, and writing bytes that are ready.
 */
export interface PathText {
  readonly length: number;
  readonly chunks: readonly Chunk[];
}

interface Chunk {
  /** Where it is in the text; the same in every text that shares it. */
  readonly start: number;
  readonly bytes: Buffer;
  /** Compressed when it is first written; shared by every text that holds the chunk. */
  piece: Promise<Piece> | null;
}

/** Large enough to compress well, small enough to be compressed again with every line added to it. */
const CHUNK_BYTES = 32 * 1024;

export const EMPTY_TEXT: PathText = { length: 0, chunks: [] };
/** git's id of a file without content. */
export const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

export function pathTextOf(bytes: Buffer): PathText {
  return appendBytes(EMPTY_TEXT, bytes);
}

/** The text with more appended. Full chunks are shared with the original text. */
export function appendBytes(text: PathText, added: Buffer): PathText {
  const last = text.chunks.at(-1);
  const open = last !== undefined && last.bytes.length < CHUNK_BYTES;
  const tail = open ? Buffer.concat([last.bytes, added]) : added;
  const chunks = open ? text.chunks.slice(0, -1) : [...text.chunks];
  const first = text.length + added.length - tail.length;
  for (let start = 0; start < tail.length; start += CHUNK_BYTES) {
    chunks.push({ start: first + start, bytes: tail.subarray(start, start + CHUNK_BYTES), piece: null });
  }
  return { length: text.length + added.length, chunks };
}

/** The first `end` bytes. */
export function cutText(text: PathText, end: number): PathText {
  if (end >= text.length) return text;
  const at = chunkAt(text, end);
  const chunks = text.chunks.slice(0, at);
  const cut = text.chunks[at];
  if (cut !== undefined && cut.start < end)
    chunks.push({ ...cut, bytes: cut.bytes.subarray(0, end - cut.start), piece: null });
  return { length: end, chunks };
}

export function sliceText(text: PathText, start: number, end: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = chunkAt(text, start); at < text.chunks.length; at += 1) {
    const chunk = text.chunks[at];
    if (chunk === undefined || chunk.start >= end) break;
    parts.push(chunk.bytes.subarray(Math.max(0, start - chunk.start), end - chunk.start));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

/** The index of the chunk that holds the byte at `offset`. */
function chunkAt({ chunks }: PathText, offset: number): number {
  let low = 0;
  let high = chunks.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((chunks[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** A file edited by hand may lack its last newline: a line added to it must not run into the one before. */
export function endsInLine(text: PathText): boolean {
  return text.length === 0 || text.chunks.at(-1)?.bytes.at(-1) === 0x0a;
}

export function textId(text: PathText): string {
  return objectId('blob', bytesOf(text));
}

export function textHeader(text: PathText): Buffer {
  return objectHeader('blob', bytesOf(text));
}

/** The text, after a header if one is given, as the parts of one zlib stream. */
export async function encodeText(text: PathText, header?: Buffer): Promise<Buffer[]> {
  const first = header === undefined ? [] : [deflatePiece(header)];
  const pieces = text.chunks.map((chunk) => (chunk.piece ??= deflatePiece(chunk.bytes)));
  return joinPieces(await Promise.all([...first, ...pieces]));
}

function bytesOf(text: PathText): readonly Buffer[] {
  return text.chunks.map((chunk) => chunk.bytes);
}
