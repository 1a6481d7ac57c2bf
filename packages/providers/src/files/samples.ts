import { blobHash, sha256 } from '@bough/core';
import type { Place } from './place.ts';
import { PlacedText } from './place.ts';

// Small files, made by hand. Only for tests, for the simulator and for the list of messages in the documents.

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(latin1(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

/** A PNG that says how large it is; its pixels are left out. */
export function pngBytes(width: number, height: number, comment = ''): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2], 8);
  return concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', header),
    chunk('tEXt', latin1(`Comment\0${comment}`)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** A JPEG that says how large it is; its pixels are left out. */
export function jpegBytes(width: number, height: number): Uint8Array {
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, ...frame, 0xff, 0xd9]);
}

export function pdfBytes(pages: number, comment = ''): Uint8Array {
  const kids = Array.from({ length: pages }, (_, at) => `${at + 3} 0 R`).join(' ');
  const objects = Array.from({ length: pages }, (_, at) => `${at + 3} 0 obj<</Type/Page/Parent 2 0 R>>endobj\n`);
  return latin1(
    `%PDF-1.4\n%${comment}\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages}>>endobj\n${objects.join('')}trailer<</Root 1 0 R>>\n%%EOF\n`,
  );
}

export function wavBytes(samples: number): Uint8Array {
  const bytes = new Uint8Array(44 + samples);
  const view = new DataView(bytes.buffer);
  bytes.set(latin1('RIFF'));
  view.setUint32(4, 36 + samples, true);
  bytes.set(latin1('WAVEfmt '), 8);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 8_000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  bytes.set(latin1('data'), 36);
  view.setUint32(40, samples, true);
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export const inBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** A place for a file of any size, as it stands in a body. */
export function placed(change: Partial<Place> = {}): string {
  const place: Place = {
    as: 'base64',
    hash: blobHash(sha256(JSON.stringify(change))),
    size: 3_000,
    mediaType: 'image/png',
    name: 'a.png',
    width: 80,
    height: 60,
    pages: 0,
    ...change,
  };
  return new PlacedText([place]).toJSON();
}
