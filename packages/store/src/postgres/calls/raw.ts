import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { RawResponse } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { codeOf } from '../connection/trouble.ts';
import { readRaw, writeRaw } from './raw-text.ts';

// gzip rather than something denser: on recorded streams brotli at a similar speed saves one part in a hundred, and
// gzip has a checksum and opens with any tool. Level 3 takes a third of the time of the default and keeps 4.0 instead
// of 3.4 parts in a hundred. A long reply is compressed in a worker thread, so that it does not hold up other streams;
// for a short one the round trip costs several times the work.
const OPTIONS = { level: 3 };
const compress = promisify<string, typeof OPTIONS, Buffer>(gzip);
const decompress = promisify(gunzip);
const SHORT = 128 * 1024;

export async function packRaw(raw: RawResponse): Promise<Buffer> {
  const text = writeRaw(raw);
  return text.length <= SHORT ? gzipSync(text, OPTIONS) : compress(text, OPTIONS);
}

/** The length that gzip records at its end; data too short to have one is damaged, and unpacking finds that out. */
function unpackedLength(bytes: Buffer): number {
  return bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
}

async function unpack(bytes: Buffer): Promise<Buffer> {
  return unpackedLength(bytes) <= SHORT ? gunzipSync(bytes) : decompress(bytes);
}

export async function unpackRaw(bytes: Buffer): Promise<RawResponse> {
  try {
    return readRaw((await unpack(bytes)).toString('utf8'));
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
