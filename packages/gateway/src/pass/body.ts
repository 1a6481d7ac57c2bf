import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A client's body: whole, or, where it is longer than may be held in memory, still on its way. */
export type ReadBody =
  | { readonly type: 'whole'; readonly bytes: Uint8Array }
  | { readonly type: 'long'; readonly stream: ReadableStream<Uint8Array> };

/** Rejects if the client leaves before everything has come. */
export async function readBody(body: AsyncIterable<Uint8Array>, limit: number): Promise<ReadBody> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    pieces.push(value);
    size += value.length;
    if (size > limit) return { type: 'long', stream: streamOf(iterator, pieces) };
  }
  const [only] = pieces;
  return { type: 'whole', bytes: pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, size) };
}

/** Reads on only when the other side takes more. */
export function streamOf(
  iterator: AsyncIterator<Uint8Array>,
  first: readonly Uint8Array[] = [],
): ReadableStream<Uint8Array> {
  const waiting = [...first];
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const early = waiting.shift();
        if (early !== undefined) return controller.enqueue(early);
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What a packed body says; null if it cannot be unpacked here, or says more than `limit` bytes. */
export function unpacked(bytes: Uint8Array, encoding: string | undefined, limit: number): Uint8Array | null {
  const options = { maxOutputLength: limit };
  try {
    switch ((encoding ?? 'identity').trim().toLowerCase()) {
      case 'identity':
      case '':
        return bytes;
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, options);
      case 'deflate':
        return inflateSync(bytes, options);
      case 'br':
        return brotliDecompressSync(bytes, options);
      default:
        return null;
    }
  } catch {
    // Its vendor will say what is wrong with it, in its own words.
    return null;
  }
}
