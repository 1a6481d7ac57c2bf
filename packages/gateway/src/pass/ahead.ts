import type { ForwardedBody, ForwardedPiece } from '@bough/providers';

/**
 * Reads on while what came before is being kept, and gives everything that arrived in the meantime at once: a store
 * that takes ten milliseconds per write must not slow a stream of a thousand small events down to a hundred per second.
 * Reads no further than `limit` bytes: a client that reads slowly holds the provider back.
 */
export function readAhead(body: ForwardedBody, limit: number): ForwardedBody {
  let waiting: Uint8Array[] = [];
  let size = 0;
  let last: ForwardedPiece | null = null;
  let isReading = false;
  let wake: (() => void) | null = null;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    while (last === null && size < limit) {
      const piece = await body.next();
      if (piece.type === 'bytes') {
        waiting.push(piece.bytes);
        size += piece.bytes.length;
      } else last = piece;
      wake?.();
      wake = null;
    }
    isReading = false;
  };
  // Reading never rejects: how it ended is the last piece.
  void read();
  return {
    next: async () => {
      void read();
      if (size === 0 && last === null)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (size === 0 && last !== null) return last;
      const [only] = waiting;
      const bytes = waiting.length === 1 && only !== undefined ? only : Buffer.concat(waiting, size);
      waiting = [];
      size = 0;
      void read();
      return { type: 'bytes', bytes };
    },
    abandon: body.abandon,
  };
}

/** The same body with bytes that were read from it before. */
export function putBack(bytes: Uint8Array, body: ForwardedBody): ForwardedBody {
  let isGiven = bytes.length === 0;
  return {
    next: () => {
      if (isGiven) return body.next();
      isGiven = true;
      return Promise.resolve({ type: 'bytes', bytes });
    },
    abandon: body.abandon,
  };
}

/** The beginning of a body, and the body as if nothing had been read of it. */
export async function peek(
  body: ForwardedBody,
  limit: number,
): Promise<{ readonly bytes: Uint8Array; readonly body: ForwardedBody }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size < limit) {
    const piece = await body.next();
    if (piece.type !== 'bytes') break;
    pieces.push(piece.bytes);
    size += piece.bytes.length;
  }
  const bytes = Buffer.concat(pieces, size);
  return { bytes, body: putBack(bytes, body) };
}
