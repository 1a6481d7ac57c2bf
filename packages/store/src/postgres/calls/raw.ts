import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { RawResponse } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { codeOf } from '../connection/trouble.ts';

// gzip rather than something denser: on recorded streams brotli at a like speed saves one part in a hundred, and gzip carries a
// checksum and can be opened with any tool. In a worker thread, so that a long reply does not hold up the streams of others.
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** JSON is exact for the strings inside: it escapes what UTF-8 cannot hold. */
export async function packRaw(raw: RawResponse): Promise<Buffer> {
  return compress(JSON.stringify(raw));
}

export async function unpackRaw(bytes: Buffer): Promise<RawResponse> {
  try {
    return JSON.parse((await decompress(bytes)).toString('utf8')) as RawResponse;
  } catch (error) {
    throw new StoreError(
      'raw_damaged',
      'raws',
      `A stored raw response cannot be read (${codeOf(error) ?? 'not JSON'}).`,
      {
        cause: error,
      },
    );
  }
}
