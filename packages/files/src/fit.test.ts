import { readFile } from 'node:fs/promises';
import { wavOf } from '@bough/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIT_LIMITS } from './limits.ts';
import { fitName, withExtension } from './name.ts';
import { createQueue } from './queue/index.ts';
import { safeTypeOf } from './recognise/index.ts';
import type { Bench } from './testing/index.ts';
import { openBench } from './testing/index.ts';
import { plain } from './testing/picture.ts';
import { mp3Of } from './testing/sound.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

describe('what a file is', () => {
  it('FIT-1: is decided by its bytes, not by its name or declared type', async () => {
    const jpeg = await plain(64, 64).jpeg().toBuffer();
    const png = await bench.fit('screenshot.png', jpeg, 'image/png');
    expect(png).toMatchObject({ type: 'image', file: { mediaType: 'image/jpeg' } });
    expect(await bench.fit('notes.txt', jpeg, 'text/plain')).toMatchObject({ type: 'image' });
    expect(await bench.fit('notes', 'BM is also how a bitmap begins')).toMatchObject({ type: 'file', text: {} });
  });

  it.each([
    [
      'an error page under the name of a picture',
      'photo.jpg',
      '<!doctype html><title>404</title>',
      undefined,
      'picture',
    ],
    ['a text that is declared to be a picture', 'photo', 'no', 'image/png', 'picture'],
    ['a text under the name of a PDF', 'paper.pdf', 'no', undefined, 'PDF'],
    ['bytes under the name of a picture', 'photo.png', Buffer.from([0, 1, 2, 3]), undefined, 'picture'],
  ])('FIT-10: %s is told', async (_, name, bytes, declared, says) => {
    await expect(bench.fit(name, bytes, declared)).rejects.toMatchObject({
      code: 'file_not_what_it_says',
      message: expect.stringContaining(`${name} says that it is a ${says}`) as string,
    });
  });

  it('FIT-10: an empty file is told', async () => {
    await expect(bench.fit('a.txt', '')).rejects.toMatchObject({ code: 'file_empty' });
  });

  it('FIT-7: anything that no model can look at is kept as it is', async () => {
    const bytes = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
    const fitted = await bench.fit('a.zip', bytes);
    expect(fitted).toMatchObject({ type: 'file', name: 'a.zip', file: { mediaType: 'application/zip' } });
    expect(fitted).not.toHaveProperty('text');
  });
});

describe('a text', () => {
  it.each([
    ['CSV', 'a,b\r\n1,2\r\n'],
    ['a log with colours', '\u001B[31mred\u001B[0m\n'],
    ['Chinese', '一个文件。'.repeat(40_000)],
    ['a drawing with a script in it', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['XML', '<?xml version="1.0"?><svg/>'],
  ])('FIT-7: goes as it is: %s', async (_, text) => {
    const fitted = await bench.fit('a.svg', text, 'image/svg+xml');
    const file = { mediaType: 'text/plain', size: Buffer.byteLength(text) };
    expect(fitted).toMatchObject({ type: 'file', file, text: { ...file, characters: text.length } });
    expect(fitted.original).toBeUndefined();
  });

  it.each([
    ['UTF-16, little end first', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße 😀', 'utf16le')])],
    ['UTF-16, big end first', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('Grüße 😀', 'utf16le').swap16()])],
    ['UTF-8 with a mark', Buffer.from('\uFEFFGrüße 😀')],
  ])('FIT-7: becomes UTF-8 without a mark: %s', async (_, bytes) => {
    const fitted = await bench.fit('a.txt', bytes);
    expect(await readFile(fitted.file.path, 'utf8')).toBe('Grüße 😀');
    expect(await readFile(fitted.original?.path ?? '')).toEqual(bytes);
    expect(fitted).toMatchObject({ text: { characters: 8 } });
  });

  it.each([
    ['a byte of another encoding', Buffer.from('Gr\u00FC\u00DFe', 'latin1')],
    ['a NUL', Buffer.from('a\0b')],
    ['half a character at the end', Buffer.from('ü').subarray(0, 1)],
    ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x3d, 0xd8])],
  ])('FIT-7: with %s is no text', async (_, bytes) => {
    expect(await bench.fit('a', bytes)).not.toHaveProperty('text');
  });

  it.each([
    ['Windows-1252', Buffer.from('Grüße aus Zürich\r\n', 'latin1')],
    ['GBK', Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a])],
  ])('FIT-15: in another encoding is told what to do: %s', async (_, bytes) => {
    const fitted = await bench.fit('a.txt', bytes);
    expect(fitted).toMatchObject({ type: 'file', notes: [{ code: 'not_utf8' }] });
    expect(fitted.notes[0]?.message).toMatch(/^a\.txt .*Save it as UTF-8/);
  });

  it.each([
    ['bytes that no text holds', Buffer.from([0xc4, 0xe3, 0, 1])],
    ['a kind that is known', Buffer.from('504b0506000000000000000000000000000000000000', 'hex')],
  ])('FIT-15: nothing is told of %s', async (_, bytes) => {
    expect((await bench.fit('a.bin', bytes)).notes).toEqual([]);
  });

  it('FIT-10: longer than any model reads is told', async () => {
    await expect(bench.fit('a.log', 'x'.repeat(FIT_LIMITS.characters + 1))).rejects.toMatchObject({
      code: 'text_too_long',
      message: expect.stringContaining('4,000,001 characters') as string,
    });
  });
});

describe('a sound', () => {
  it.each([
    ['WAV', wavOf(3), 'audio/wav', 3],
    ['WAV whose recorder was cut off', wavOf(3, 0xffff_ffff), 'audio/wav', 3],
    ['MP3 of one bit rate', mp3Of(100), 'audio/mpeg', 2.6],
    ['MP3 that counts its frames', mp3Of(10, 1_000), 'audio/mpeg', 26.1],
  ])('FIT-9: is measured by its head: %s', async (_, bytes, mediaType, seconds) => {
    expect(await bench.fit('a', bytes)).toMatchObject({ type: 'audio', seconds, file: { mediaType } });
  });

  it.each([
    ['a memo of an iPhone', Buffer.from('\0\0\0\x1cftypM4A \0\0\0\0M4A mp42isom', 'latin1'), 'audio/m4a', 'audio/mp4'],
    [
      'a message of a messenger',
      Buffer.from(`OggS\0\x02${'\0'.repeat(20)}\x01\x13OpusHead\x01\x01`, 'latin1'),
      'audio/ogg',
      'audio/ogg',
    ],
  ])('FIT-9: has the name that models know it by, and may be played: %s', async (_, head, mediaType, played) => {
    const bytes = Buffer.concat([head, Buffer.alloc(64)]);
    expect(await bench.fit('memo', bytes)).toMatchObject({ type: 'audio', file: { mediaType } });
    expect(await safeTypeOf(bytes)).toBe(played);
  });

  it('FIT-9: that cannot be measured goes without its length', async () => {
    const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60)]);
    const fitted = await bench.fit('a.flac', flac);
    expect(fitted.type).toBe('audio');
    expect(fitted).not.toHaveProperty('seconds');
  });
});

describe('names', () => {
  it.each([
    ['C:\\Users\\me\\photo.png', 'photo.png'],
    ['../../etc/passwd', 'passwd'],
    ['a\u202Egpj.exe', 'agpj.exe'],
    ['two\r\nlines.txt', 'twolines.txt'],
    ['half \uD83D.txt', 'half \uFFFD.txt'],
    ['', 'file'],
    ['..', 'file'],
  ])('FIT-14: %j becomes %j', (given, name) => {
    expect(fitName(given)).toBe(name);
  });

  it('FIT-14: a long one keeps its end', () => {
    const name = fitName(`${'x'.repeat(500)}.tar`);
    expect(name.length).toBeLessThanOrEqual(200);
    expect(name.endsWith('….tar')).toBe(true);
    expect(withExtension('x'.repeat(200), '.pdf').length).toBeLessThanOrEqual(200);
  });
});

describe('heavy work', () => {
  it('FIT-13: is done one after the other, in order, also after a failure', async () => {
    const queue = createQueue(1);
    const seen: string[] = [];
    const job = (name: string, fails = false) =>
      queue.run(async () => {
        seen.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([job('a', true), job('b'), job('c')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('FIT-13: of a picture leaves the event loop free', async () => {
    const bytes = await plain(6_000, 6_000).png().toBuffer();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await bench.fit('large.png', bytes);
    clearInterval(timer);
    // Not how long the longest pause was: on a busy machine that depends on everybody else.
    expect(turns).toBeGreaterThan(10);
  });
});
