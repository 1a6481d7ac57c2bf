import type { Client } from '@bough/api';
import type { AttachedBlock, BlobHash, ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import { openAsBlob } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';
import { pdfOf } from './testing/samples.ts';
import { checkFiles } from './uploads/index.ts';

const LIMIT = 3_000_000;
let server: TestServer;
let client: Client;
let project: string;
let other: string;
beforeAll(async () => {
  server = await startTestServer({}, { limits: { fileBytes: LIMIT } });
  client = server.client;
  project = (await client.createProject({ name: 'With files' })).project.id;
  other = (await client.createProject({ name: 'Another' })).project.id;
});
afterAll(() => server.dispose());

const picture = (colour = '#aa3311', side = 300): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();

async function upload(name: string, bytes: Uint8Array | string): Promise<AttachedBlock> {
  return attached((await client.uploadBlob(name, new Blob([Buffer.from(bytes)]))).block);
}
function attached(block: ContentBlock): AttachedBlock {
  if (!isAttachedBlock(block)) throw new Error(`not a file: ${JSON.stringify(block)}`);
  return block;
}
const sent = (
  block: AttachedBlock,
  change: object = {},
): Readonly<Record<string, unknown>> & { readonly type: string } => ({
  ...block,
  ...change,
});
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const get = (hash: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Response> =>
  fetch(`${server.url}/api/blobs/${hash}${query}`, { headers });
const append = (content: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[], into = project) =>
  client.appendMessages(into, { content: content.map((block) => ({ ...block })) });

describe('uploading', () => {
  it('SV-80: a file comes back as a block, with its original, what is sent and its text in the store', async () => {
    const bytes = await sharp({ create: { width: 3_000, height: 1_000, channels: 3, background: '#123456' } })
      .withExif({ IFD0: { Make: 'Camera' } })
      .jpeg()
      .toBuffer();
    const block = await upload('Holiday.JPG', bytes);
    expect(block).toMatchObject({ type: 'image', name: 'Holiday.JPG', width: 2_000, height: 667 });
    expect(await bytesOf(await get(block.original?.hash ?? ''))).toEqual(bytes);
    const fitted = await bytesOf(await get(block.file.hash));
    expect(fitted.length).toBe(block.file.size);
    expect((await sharp(fitted).metadata()).width).toBe(2_000);
    expect(await upload('Holiday.JPG', bytes)).toEqual(block);
    const text = await upload('notes.txt', Buffer.from('\uFEFFnotes'));
    expect(text).toMatchObject({ type: 'file', text: { characters: 5 } });
    expect((await bytesOf(await get(text.file.hash))).toString()).toBe('notes');
  });

  it('SV-80: a client sends it from memory, from disk or as a stream, and reads it back', async () => {
    const bytes = Buffer.from('the same bytes');
    const path = join(server.dataDir, 'given.txt');
    await writeFile(path, bytes);
    const ways = [bytes, await openAsBlob(path), new Blob([bytes]).stream()];
    const hashes = new Set<string>();
    for (const way of ways) {
      const { block } = await client.uploadBlob('a.txt', way);
      hashes.add(attached(block).file.hash);
    }
    const [hash = ''] = hashes;
    expect(hashes.size).toBe(1);
    expect(await bytesOf(await client.getBlob(hash))).toEqual(bytes);
    expect(await bytesOf(await fetch(client.blobUrl(hash, { name: 'a.txt' })))).toEqual(bytes);
  });

  it('SV-80: what is to be told about a file is told', async () => {
    const frames = await Promise.all(
      ['red', 'blue'].map((background) =>
        sharp({ create: { width: 64, height: 64, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const film = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const { notes } = await client.uploadBlob('film.gif', new Blob([film]));
    expect(notes).toEqual([{ code: 'first_frame', message: expect.stringContaining('first') as string }]);
  });

  it.each([
    ['an empty file', 'a.txt', '', 'empty_file'],
    ['a page under the name of a picture', 'a.png', '<html></html>', 'file_not_what_it_says'],
    ['a damaged PDF', 'a.pdf', '%PDF-1.7', 'document_unreadable'],
  ])('SV-81: %s is refused with its code', async (_, name, bytes, code) => {
    await expect(client.uploadBlob(name, new Blob([bytes]))).rejects.toMatchObject({ status: 422, code });
  });

  it('SV-81: a file that is announced to be too large is refused before it comes', async () => {
    await expect(client.uploadBlob('a.bin', new Blob([Buffer.alloc(LIMIT + 1)]))).rejects.toMatchObject({
      status: 413,
      code: 'too_large',
      message: expect.stringContaining('3 MB') as string,
    });
    // Whoever asks next must not get the connection on which the rest is still waiting.
    for (let times = 0; times < 20; times++) expect((await client.health()).status).toBe('ok');
  });

  it('SV-81: one that does not say how large it is is stopped at the limit, and the memory stays', async () => {
    const before = process.memoryUsage().rss;
    const { status, sentBytes } = await pour(`${server.url}/api/blobs?name=endless`, 3_000_000_000);
    expect(status).toBe(413);
    expect(sentBytes).toBeLessThan(100_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(await readdir(join(server.dataDir, 'scratch'))).toEqual([]);
    expect((await client.health()).status).toBe('ok');
  });

  it('SV-81: an upload that breaks off leaves nothing behind', async () => {
    await new Promise<void>((resolve) => {
      const broken = request(`${server.url}/api/blobs?name=a`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'content-length': '1000000' },
      });
      broken.on('error', () => resolve());
      broken.write(Buffer.alloc(100_000), () => setTimeout(() => broken.destroy(new Error('gone')), 100));
    });
    await expect.poll(() => readdir(join(server.dataDir, 'scratch'))).toEqual([]);
  });

  it('SV-82: a file is sent as bytes, and nothing but bytes', async () => {
    for (const type of ['application/json', 'image/png', 'text/plain', 'multipart/form-data']) {
      const headers = { 'content-type': type };
      const answer = await ask(`${server.url}/api/blobs?name=a`, { method: 'POST', headers, body: '{}' });
      expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
    }
  });
});

describe('a message with files', () => {
  it('SV-83: takes the block of an upload as it came', async () => {
    const block = await upload('a.jpg', await picture());
    const { nodes } = await append([{ type: 'text', text: 'Look' }, sent(block, { alt: 'A red square' })]);
    expect(nodes[0]?.contentBlocks).toEqual([
      { type: 'text', text: 'Look' },
      { ...block, alt: 'A red square' },
    ]);
  });

  it('SV-83: nothing in a block may differ from what the server recorded', async () => {
    const block = await upload('a.jpg', await picture('#00ff00'));
    const elsewhere = await upload('b.jpg', await picture('#0000ff'));
    for (const change of [
      { width: 10 },
      { height: 9_999 },
      { name: 'other.jpg' },
      { file: { ...block.file, size: 1 } },
      { file: { ...block.file, mediaType: 'text/html' } },
      { file: elsewhere.file },
      { file: { ...block.file, hash: 'f'.repeat(64) } },
      { file: { ...block.file, extra: true } },
      { original: elsewhere.file },
      { surprise: true },
      { alt: 5 },
      { type: 'document' },
    ])
      await expect(append([sent(block, change)]), JSON.stringify(change)).rejects.toMatchObject({
        status: 422,
        code: 'unknown_file',
        extra: { field: 'content[0]' },
      });
  });

  it('SV-83: on every route that takes a message', async () => {
    const made = sent(await upload('a.jpg', await picture('#ff00ff')), { width: 1 });
    const { nodes } = await append([{ type: 'text', text: 'A question' }], other);
    const node = nodes[0]?.id ?? '';
    for (const call of [
      () => client.chat(other, { ref: 'main', message: [made] }),
      () => client.edit(other, { nodeId: node, content: [made] }),
      () => client.editContent(node, [made]),
      () => client.context(other, { ref: 'main', message: [made] }),
      () => client.contextReport(other, { ref: 'main', message: [made] }),
      () => client.appendMessages(other, { messages: [{ role: 'user', content: [made] }] }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 422, code: 'unknown_file' });
  });

  it('SV-83: nobody can write a record of their own', async () => {
    const block = await upload('a.jpg', await picture('#101010'));
    const forged = { ...block, width: 1 };
    const record = `\0Bough record\n${JSON.stringify(forged)}`;
    await expect(upload('a.bin', record)).rejects.toMatchObject({ status: 422, code: 'file_reserved' });
    await expect(append([sent(forged)])).rejects.toMatchObject({ code: 'unknown_file' });
  });

  it('SV-84: an edited message keeps its files, whatever became of the upload', async () => {
    const block = await upload('a.jpg', await picture('#202020'));
    const { nodes } = await append([{ type: 'text', text: 'First' }, sent(block)]);
    const { node } = await client.editContent(nodes[0]?.id ?? '', [{ type: 'text', text: 'Second' }, sent(block)]);
    expect(node.contentBlocks[1]).toEqual({ ...block });
    const holdsNothing = { has: async () => new Set<BlobHash>() };
    await checkFiles(holdsNothing, [block], async () => [block]);
    await expect(checkFiles(holdsNothing, [block])).rejects.toMatchObject({ code: 'unknown_file' });
  });
});

describe('reading a file', () => {
  it('SV-85: belongs to its project: another one does not find it', async () => {
    const block = await upload('a.jpg', await picture('#303030'));
    await append([sent(block)]);
    expect((await get(block.file.hash, {}, `?project=${project}`)).status).toBe(200);
    for (const query of [`?project=${other}`, '?project=nobody'])
      expect((await get(block.file.hash, {}, query)).status, query).toBe(404);
    expect((await get('a'.repeat(64))).status).toBe(404);
    expect((await get('..%2f..%2fetc%2fpasswd')).status).toBe(422);
  });

  it('SV-86: a picture is shown in place, and can do nothing else', async () => {
    const block = await upload('a.jpg', await picture('#404040'));
    const { headers } = await get(block.file.hash, {}, `?name=${encodeURIComponent('Ein "Bild".jpg')}`);
    expect(headers.get('content-type')).toBe('image/jpeg');
    expect(headers.get('content-disposition')).toBe("inline; filename*=UTF-8''Ein%20%22Bild%22.jpg");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  });

  it.each([
    ['a page', 'a.html', '<script>alert(1)</script>'],
    ['a drawing with a script', 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['XML', 'a.xml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['a program', 'a.js', 'alert(1)'],
  ])('SV-86: %s is a download', async (_, name, bytes) => {
    const { headers } = await get((await upload(name, bytes)).file.hash);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toBe('attachment');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it.each([
    ['lines', 'a\r\nset-cookie: b=c\r\n.txt'],
    ['directories', '../../etc/passwd'],
    ['other directories', '..\\..\\boot.ini'],
    ['an end of the header', 'a"; filename=evil.exe; x=".txt'],
    ['turned letters', 'photo\u202egpj.exe'],
    ['nothing but dots', '..'],
    ['a percent sign', '%0d%0aset-cookie: b=c'],
  ])('SV-116: a name with %s is one name, in the message and in the header', async (_, name) => {
    const block = await upload(name, `the same ${name.length}`);
    expect(block.name).not.toMatch(/[\p{Cc}\p{Cf}/\\]/u);
    expect(block.name).not.toMatch(/^\.*$/);
    const { headers, status } = await get(block.file.hash, {}, `?name=${encodeURIComponent(name)}`);
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    const [kind, given, ...more] = (headers.get('content-disposition') ?? '').split('; ');
    expect([kind, more]).toEqual(['attachment', []]);
    expect(given).toMatch(/^filename\*=UTF-8''[\w.%!~-]+$/);
    expect(decodeURIComponent((given ?? '').slice("filename*=UTF-8''".length))).toBe(block.name);
  });

  it('SV-117: a PDF is a download, and what only pretends to be a picture cannot become one', async () => {
    const { headers } = await get((await upload('a.pdf', pdfOf(['Words.']))).file.hash);
    expect(headers.get('content-disposition')).toBe('attachment');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // A picture with a page behind its end is sent, shown and kept as a picture alone; the original is a download too,
    // or is a picture to every browser.
    const hidden = Buffer.concat([await picture('#606060'), Buffer.from('<html><script>alert(1)</script></html>')]);
    const block = await upload('a.jpg', hidden);
    expect((await bytesOf(await get(block.file.hash))).includes('<script>')).toBe(false);
    const original = await get(block.original?.hash ?? '');
    expect(original.headers.get('content-type')).toBe('image/jpeg');
    expect(original.headers.get('x-content-type-options')).toBe('nosniff');
    expect(original.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('SV-87: what a client has is not sent again', async () => {
    const { hash } = (await upload('a.txt', 'the same')).file;
    const { headers } = await get(hash);
    expect((await get(hash, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await get(hash, { 'if-none-match': '"another"' })).status).toBe(200);
  });

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
  ])('SV-88: %s is answered with %i', async (range, status, body, contentRange) => {
    const { hash } = (await upload('digits.txt', '0123456789')).file;
    const answer = await get(hash, { range });
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ]);
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
  });

  it('SV-88: a large file comes whole, and part by part', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, at) => (at * 31) % 251));
    const { hash } = (await upload('a.bin', bytes)).file;
    expect((await bytesOf(await get(hash))).equals(bytes)).toBe(true);
    const part = await bytesOf(await get(hash, { range: 'bytes=700000-1299999' }));
    expect(part.equals(bytes.subarray(700_000, 1_300_000))).toBe(true);
  });
});

describe('a turn with files', () => {
  it('SV-89: the message is stored with its files, and the reply comes', async () => {
    const block = await upload('a.jpg', await picture('#505050'));
    const lines = await say(client, project, 'main', [{ type: 'text', text: 'What is this?' }, sent(block)]);
    expect(endOf(lines).status).toBe('complete');
    const { groups } = await client.history(project, { ref: 'main' });
    expect(groups.at(-1)?.user?.contentBlocks.at(-1)).toEqual({ ...block });
    const { request: preview } = await client.context(project, { ref: 'main', message: [sent(block)] });
    // The bytes themselves are no part of what is shown.
    expect(preview.body.length).toBeLessThan(20_000);
  });
});

/** Sends bytes without saying how many, until all are sent or the server has had enough. */
function pour(url: string, bytes: number): Promise<{ readonly status: number; readonly sentBytes: number }> {
  return new Promise((resolve) => {
    const piece = Buffer.alloc(256 * 1024, 1);
    let sentBytes = 0;
    let status = 0;
    const pouring = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      agent: false,
    });
    const finish = (): void => {
      pouring.destroy();
      resolve({ status, sentBytes });
    };
    pouring.on('response', (response) => {
      status = response.statusCode ?? 0;
      finish();
    });
    pouring.on('error', finish);
    const more = (): void => {
      while (sentBytes < bytes && !pouring.destroyed) {
        sentBytes += piece.length;
        if (!pouring.write(piece)) {
          pouring.once('drain', more);
          return;
        }
      }
      pouring.end();
    };
    more();
  });
}
