import { constants, deflateRaw } from 'node:zlib';
import { promisify } from 'node:util';

const deflateAsync = promisify(deflateRaw);

/**
 * A piece of a zlib stream: compressed on its own, so that it can be part of any stream, with the checksum of its
 * content.
 */
export interface Piece {
  readonly deflated: Buffer;
  readonly adler: number;
  readonly length: number;
}

/** Compresses bytes into a piece. Ends on a byte boundary and refers to nothing before it. */
export async function deflatePiece(bytes: Uint8Array): Promise<Piece> {
  const deflated = await deflateAsync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  return { deflated, adler: adler32(bytes), length: bytes.length };
}

const STREAM_START = Buffer.from([0x78, 0x9c]);
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** A zlib stream made of finished pieces: nothing is compressed again. */
export function joinPieces(pieces: readonly Piece[]): Buffer[] {
  const adler = pieces.reduce((sum, piece) => combineAdler(sum, piece.adler, piece.length), 1);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(adler);
  return [STREAM_START, ...pieces.map((piece) => piece.deflated), LAST_BLOCK, checksum];
}

const BASE = 65_521;
/** This many bytes can be summed before 32 bits overflow. */
const STRIDE = 5552;

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let start = 0; start < bytes.length; start += STRIDE) {
    const end = Math.min(start + STRIDE, bytes.length);
    for (let i = start; i < end; i += 1) {
      a += bytes[i] ?? 0;
      b += a;
    }
    a %= BASE;
    b %= BASE;
  }
  return ((b << 16) | a) >>> 0;
}

/** The checksum of two consecutive texts, from their own checksums. */
function combineAdler(first: number, second: number, secondLength: number): number {
  const a1 = first & 0xffff;
  const a2 = second & 0xffff;
  const a = (a1 + a2 - 1 + BASE) % BASE;
  const b = ((first >>> 16) + (second >>> 16) + (secondLength % BASE) * ((a1 - 1 + BASE) % BASE)) % BASE;
  return ((b << 16) | a) >>> 0;
}
