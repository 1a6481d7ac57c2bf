import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttachedBlock, BlobHash } from '@bough/core';
import { blobHash } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlacedText, placeOf, withNamedPlaces } from '../../files/place.ts';
import type { SecretOf } from '../../secrets/index.ts';
import { MissingSecretError } from '../../secrets/index.ts';
import { wellFormedJson } from '../../render/well-formed.ts';
import type { ReadBlob } from './index.ts';
import { filledBody, MissingFileError, placesOf } from './index.ts';

const blobs = new Map<BlobHash, Uint8Array>();

/** A block whose bytes can be read, a few at a time. */
function block(name: string, bytes: Uint8Array): AttachedBlock & { readonly type: 'file' } {
  const hash = blobHash(createHash('sha256').update(bytes).digest('hex'));
  blobs.set(hash, bytes);
  return { type: 'file', name, file: { hash, mediaType: 'text/plain', size: bytes.length } };
}

const readBlob: ReadBlob = (hash) => {
  const bytes = blobs.get(hash);
  return Promise.resolve(bytes && { size: bytes.length, bytes: inPieces(bytes, 5) });
};

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function sent(body: string | readonly Uint8Array[]): Promise<{ readonly text: string; readonly length: number }> {
  const segments = placesOf(body);
  if (segments === null) throw new Error('The body has no place.');
  const filled = await filledBody(segments, readBlob);
  const bytes = new Uint8Array(await new Response(filled.stream()).arrayBuffer());
  expect(bytes.length).toBe(filled.length);
  return { text: new TextDecoder().decode(bytes), length: filled.length };
}

describe('filling places', () => {
  it('FIL-10: bytes and texts of any kind arrive as they are, in a body whose length was known before', async () => {
    const anyText = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        anyText,
        fc.string({ unit: 'binary' }),
        async (raw, text, name) => {
          const file = block(name, raw);
          const table = block('a.csv', new TextEncoder().encode(text));
          const value = {
            before: 'say "\\udb0b" \\ \ud800',
            data: new PlacedText(['data:x;base64,', placeOf(file, 'base64')]),
            text: new PlacedText(['a.csv:\n', placeOf(table, 'text'), '\n', placeOf(table, 'text')]),
          };
          const { json } = wellFormedJson(value);
          const expected = {
            before: 'say "\\udb0b" \\ \ufffd',
            data: `data:x;base64,${Buffer.from(raw).toString('base64')}`,
            text: `a.csv:\n${text}\n${text}`,
          };
          expect(JSON.parse((await sent(json)).text)).toEqual(expected);
          const half = json.indexOf(',"data"');
          const pieces = [json.slice(0, half), json.slice(half)].map((part) => new TextEncoder().encode(part));
          expect(JSON.parse((await sent(pieces)).text)).toEqual(expected);
        },
      ),
    );
  });

  it('FIL-11: a body without files is sent as it is', () => {
    expect(placesOf('{"text":"\\\\udb0bbase64"}')).toBeNull();
    expect(placesOf([new TextEncoder().encode('{}')])).toBeNull();
  });

  it('FIL-12: a file that is gone, or has another size, is an error that names it, before anything is sent', async () => {
    const gone = { ...block('gone.png', Uint8Array.from([1])), file: { ...block('x', Uint8Array.from([2])).file } };
    const bodyOf = (size: number, hash: BlobHash) => {
      const place = { ...placeOf(gone, 'base64'), size, hash };
      return placesOf(wellFormedJson({ data: new PlacedText([place]) }).json) ?? [];
    };
    const missing = filledBody(bodyOf(1, blobHash('0'.repeat(64))), readBlob);
    await expect(missing).rejects.toThrow(MissingFileError);
    await expect(missing).rejects.toThrow('"gone.png" is no longer stored');
    await expect(filledBody(bodyOf(9, gone.file.hash), readBlob)).rejects.toThrow(MissingFileError);
  });

  it('FIL-14: a secret is filled in for its server alone; until then, and in what is shown, only its name is there', async () => {
    const place = { as: 'secret', name: 'wiki', url: 'https://mcp.example.com/x' } as const;
    const body = wellFormedJson({ token: new PlacedText([place]) }).json;
    expect(withNamedPlaces(body)).toBe('{"token":"<secret wiki>"}');
    const asked: string[][] = [];
    const secretOf: SecretOf = (...words) => {
      asked.push(words);
      return { secret: 'a "quoted" ünusual token' };
    };
    const filled = await filledBody(placesOf(body) ?? [], readBlob, secretOf);
    const text = await new Response(filled.stream()).text();
    expect(JSON.parse(text)).toEqual({ token: 'a "quoted" ünusual token' });
    expect(new TextEncoder().encode(text)).toHaveLength(filled.length);
    expect(asked).toEqual([['wiki', 'https://mcp.example.com/x']]);
    const missing: SecretOf = () => ({ problem: 'There is none.' });
    await expect(filledBody(placesOf(body) ?? [], readBlob, missing)).rejects.toThrow(MissingSecretError);
    await expect(filledBody(placesOf(body) ?? [], readBlob)).rejects.toThrow(MissingSecretError);
  });

  it('FIL-13: memory stays flat: of 64 MB, only what the connection takes is read', async () => {
    const piece = new Uint8Array(64 * 1024);
    const count = 1024;
    let read = 0;
    let received = 0;
    let ahead = 0;
    const endless: ReadBlob = () =>
      Promise.resolve({
        size: piece.length * count,
        bytes: (async function* pieces() {
          for (let at = 0; at < count; at += 1) {
            read += piece.length;
            ahead = Math.max(ahead, read - (received * 3) / 4);
            yield await Promise.resolve(piece);
          }
        })(),
      });
    const server = createServer((incoming, outgoing) => {
      incoming.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      incoming.on('end', () => outgoing.end(incoming.headers['content-length']));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const large = { ...placeOf(block('l', Uint8Array.from([3])), 'base64'), size: piece.length * count };
      const segments = placesOf(wellFormedJson({ data: new PlacedText([large]) }).json) ?? [];
      const filled = await filledBody(segments, endless);
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        method: 'POST',
        headers: { 'content-length': String(filled.length) },
        body: filled.stream(),
        duplex: 'half',
      } as RequestInit);
      expect(Number(await response.text())).toBe(filled.length);
      expect(received).toBe(filled.length);
      expect(ahead).toBeLessThan(16 * 1024 * 1024);
    } finally {
      server.close();
    }
  });
});
