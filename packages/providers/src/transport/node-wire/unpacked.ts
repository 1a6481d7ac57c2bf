import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A response without its packing, piece by piece: a stream that is packed must not wait for its end. */
export function unpacked(incoming: IncomingMessage): Readable {
  switch (incoming.headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return pipeline(incoming, createGunzip(FLUSH), () => undefined);
    case 'deflate':
      return pipeline(incoming, createInflate(FLUSH), () => undefined);
    case 'br':
      return pipeline(incoming, createBrotliDecompress(BROTLI), () => undefined);
    default:
      return incoming;
  }
}

const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
