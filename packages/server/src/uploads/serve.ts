import { fitName, safeTypeOf } from '@bough/files';
import type { ReadBlob } from '@bough/store';
import { bytesBody } from '../stream/bytes.ts';

/** What a browser may do with somebody's file on this server's address: nothing but show it. */
const POLICY = "default-src 'none'; sandbox";
/** Bytes with a hash never change, but only who may ask for them may keep them. */
const CACHE = 'private, max-age=31536000, immutable';
const SNIFFED = 4_100;

export interface Wanted {
  readonly hash: string;
  readonly name: string | undefined;
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * The answer with a file's bytes. Only pictures and sounds are shown in place; anything that a browser could run, or
 * that only says that it is a picture, is a download.
 */
export async function serveBlob(
  read: (start: number) => Promise<ReadBlob | undefined>,
  { hash, name, range, ifNoneMatch }: Wanted,
): Promise<Response | undefined> {
  const whole = await read(0);
  if (whole === undefined) return undefined;
  const { size } = whole;
  const type = await safeTypeOf(await headOf(whole.bytes));
  const headers: Record<string, string> = {
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': dispositionOf(type === undefined ? 'attachment' : 'inline', name),
    'content-security-policy': POLICY,
    'cache-control': CACHE,
    'accept-ranges': 'bytes',
    etag: `"${hash}"`,
  };
  if (ifNoneMatch?.includes(`"${hash}"`) === true) return new Response(null, { status: 304, headers });
  const part = partOf(range, size);
  if (part === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const { start, end } = part ?? { start: 0, end: size };
  headers['content-length'] = String(end - start);
  if (part !== undefined) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
  const blob = await read(start);
  if (blob === undefined) return undefined;
  return new Response(
    bytesBody(beginning(blob.bytes, end - start), async () => undefined),
    { status: part === undefined ? 200 : 206, headers },
  );
}

/** One range as in RFC 9110; several, or what cannot be read, count as none asked for. */
export function partOf(
  range: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(size, Number(last));
    return length === 0 ? 'none' : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'none' : { start, end };
}

async function headOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
    if (length >= SNIFFED) break;
  }
  return Buffer.concat(pieces).subarray(0, SNIFFED);
}

async function* beginning(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void> {
  let left = length;
  if (left === 0) return;
  for await (const piece of bytes) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

function dispositionOf(kind: 'inline' | 'attachment', name: string | undefined): string {
  if (name === undefined) return kind;
  const encoded = encodeURIComponent(fitName(name)).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename*=UTF-8''${encoded}`;
}
