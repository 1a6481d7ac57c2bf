import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fitted } from '../fitted.ts';
import { FIT_LIMITS } from '../limits.ts';
import type { Bench } from '../testing/index.ts';
import { openBench } from '../testing/index.ts';
import { noise, plain } from '../testing/picture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const picture = (fitted: Fitted): Extract<Fitted, { type: 'image' }> => {
  if (fitted.type !== 'image') throw new Error(`a ${fitted.type}`);
  return fitted;
};
const sent = (fitted: Fitted): Promise<Buffer> => readFile(fitted.file.path);
const PLACE = {
  IFD0: { Make: 'Camera', Orientation: '1' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 0/1' },
};

describe('a picture', () => {
  it.each([
    ['JPEG', () => noise(300, 200).jpeg().toBuffer()],
    ['PNG', () => noise(300, 200).png().toBuffer()],
    ['PNG with a palette', () => plain(300, 200).png({ palette: true }).toBuffer()],
  ])('FIT-2: that fits and holds nothing else keeps its bytes: %s', async (_, make) => {
    const bytes = await make();
    const fitted = picture(await bench.fit('a.picture', bytes));
    expect(await sent(fitted)).toEqual(bytes);
    expect(fitted.original).toBeUndefined();
    expect([fitted.width, fitted.height]).toEqual([300, 200]);
  });

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('FIT-3: loses where it was taken: %s', async (format) => {
    const bytes = await noise(300, 200).withExif(PLACE).toFormat(format).toBuffer();
    expect((await sharp(bytes).metadata()).exif?.includes('Camera')).toBe(true);
    const fitted = picture(await bench.fit(`a.${format}`, bytes));
    const { exif, xmp, iptc, icc, orientation } = await sharp(await sent(fitted)).metadata();
    expect({ exif, xmp, iptc, icc, orientation }).toEqual({});
    expect((await sent(fitted)).includes('Camera')).toBe(false);
    expect(await readFile(fitted.original?.path ?? '')).toEqual(bytes);
  });

  it.each([
    ['a comment in a JPEG', async () => withJpegSegment(await noise(64, 64).jpeg().toBuffer(), 0xfe, 'secret')],
    [
      'an unknown segment in a JPEG',
      async () => withJpegSegment(await noise(64, 64).jpeg().toBuffer(), 0xe5, 'secret'),
    ],
    [
      'something behind a JPEG',
      async () => Buffer.concat([await noise(64, 64).jpeg().toBuffer(), Buffer.from('secret')]),
    ],
    [
      'something behind a PNG',
      async () => Buffer.concat([await noise(64, 64).png().toBuffer(), Buffer.from('secret')]),
    ],
    [
      'a text in a PNG',
      () =>
        sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
          .withExif({ IFD0: { ImageDescription: 'secret' } })
          .png()
          .toBuffer(),
    ],
  ])('FIT-3: %s does not go along', async (_, make) => {
    const bytes = await make();
    expect(bytes.includes('secret')).toBe(true);
    expect((await sent(await bench.fit('a', bytes))).includes('secret')).toBe(false);
  });

  it('FIT-3: stands upright', async () => {
    const upper = await plain(60, 40, '#ff0000').extend({ bottom: 40, background: '#0000ff' }).jpeg().toBuffer();
    // Lying on its side, with the note that it has to be turned.
    const lying = await sharp(upper).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const fitted = picture(await bench.fit('a.jpg', lying));
    expect([fitted.width, fitted.height]).toEqual([60, 80]);
    const { data } = await sharp(await sent(fitted))
      .extract({ left: 30, top: 5, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data[0]).toBeGreaterThan(200);
  });

  it('FIT-4: has at most 2,000 pixels on its larger side, and few enough bytes', async () => {
    const fitted = picture(await bench.fit('wide.jpg', await noise(3_000, 1_500).jpeg({ quality: 95 }).toBuffer()));
    expect(fitted.width).toBeLessThanOrEqual(2_000);
    expect(fitted.width / fitted.height).toBeCloseTo(2, 1);
    expect(fitted.file.size).toBeLessThanOrEqual(FIT_LIMITS.pictureBytes);
    const { width, height } = await sharp(await sent(fitted)).metadata();
    expect({ width, height }).toEqual({ width: fitted.width, height: fitted.height });
    const flat = picture(await bench.fit('flat.png', await plain(1_000, 4_000).png().toBuffer()));
    expect([flat.width, flat.height, flat.file.mediaType]).toEqual([500, 2_000, 'image/png']);
  });

  it('FIT-4: is enlarged where models would find it too small', async () => {
    const fitted = picture(await bench.fit('dot.png', await plain(1, 1, '#ff0000').png().toBuffer()));
    expect(fitted.width * fitted.height).toBeGreaterThanOrEqual(FIT_LIMITS.leastPixels);
    expect((await sharp(await sent(fitted)).stats()).dominant.r).toBeGreaterThan(200);
  });

  it('FIT-5: flat graphics and transparent ones stay exact, photographs become JPEG', async () => {
    const clear = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#ff000080' } })
      .webp()
      .toBuffer();
    const transparent = picture(await bench.fit('a.webp', clear));
    expect(transparent.file.mediaType).toBe('image/png');
    expect((await sharp(await sent(transparent)).metadata()).hasAlpha).toBe(true);
    const photograph = picture(await bench.fit('b.png', await noise(1_200, 900, 4).png().toBuffer()));
    expect(photograph.file.mediaType).toBe('image/jpeg');
    expect((await sharp(await sent(photograph)).metadata()).format).toBe('jpeg');
  });

  it.each(['webp', 'gif', 'tiff', 'avif'] as const)('FIT-5: %s becomes JPEG or PNG', async (format) => {
    const fitted = picture(await bench.fit('a', await noise(64, 48).toFormat(format).toBuffer()));
    expect(fitted.file.mediaType).toMatch(/^image\/(?:png|jpeg)$/);
    expect(fitted.original?.mediaType).toBe(`image/${format}`);
    expect([fitted.width, fitted.height]).toEqual([64, 48]);
  });

  it('FIT-5: colours for printers and sixteen bits become plain ones', async () => {
    for (const bytes of [
      await noise(64, 64).toColourspace('cmyk').jpeg().toBuffer(),
      await noise(64, 64).toColourspace('rgb16').png().toBuffer(),
    ]) {
      const { space, depth } = await sharp(await sent(await bench.fit('a', bytes))).metadata();
      expect({ space, depth }).toEqual({ space: 'srgb', depth: 'uchar' });
    }
  });

  it.each(['gif', 'webp'] as const)(
    'FIT-6: of a film in %s the first frame is sent, and that is told',
    async (format) => {
      const frames = await sharp(
        await Promise.all(['#ff0000', '#00ff00', '#0000ff'].map((colour) => plain(64, 64, colour).png().toBuffer())),
        { join: { animated: true } },
      )
        .toFormat(format)
        .toBuffer();
      const fitted = picture(await bench.fit(`film.${format}`, frames));
      expect(fitted.height).toBe(64);
      expect((await sharp(await sent(fitted)).stats()).dominant.r).toBeGreaterThan(200);
      expect(fitted.notes).toEqual([
        { code: expect.stringMatching(/^first_(frame|page)$/), message: expect.stringContaining('first') },
      ]);
    },
  );

  it('FIT-12: the same picture gives the same bytes', async () => {
    const bytes = await noise(2_100, 300).png().toBuffer();
    const [first, second] = [await bench.fit('a.png', bytes), await bench.fit('a.png', bytes)];
    expect(await sent(first)).toEqual(await sent(second));
  });
});

describe('a picture that cannot be sent', () => {
  const refused = (code: string, ...words: readonly string[]) => ({
    code,
    message: expect.stringMatching(new RegExp(words.join('.*'))) as string,
  });

  it('FIT-10: one that breaks off is damaged, whether it would be fitted or kept', async () => {
    for (const side of [400, 2_400]) {
      const whole = await noise(side, side).jpeg().toBuffer();
      const broken = whole.subarray(0, Math.floor(whole.length / 2));
      await expect(bench.fit('cut.jpg', broken)).rejects.toMatchObject(
        refused('picture_unreadable', 'cut.jpg', 'save it again'),
      );
    }
    const png = await noise(400, 400).png().toBuffer();
    await expect(bench.fit('cut.png', png.subarray(0, png.length / 2))).rejects.toMatchObject({
      code: 'picture_unreadable',
    });
  });

  it('FIT-10: a line of 30,000 × 1 pixels is told to be cut', async () => {
    const bytes = await plain(30_000, 1).png().toBuffer();
    await expect(bench.fit('line.png', bytes)).rejects.toMatchObject(
      refused('picture_too_narrow', '30000 × 1', 'Cut it'),
    );
  });

  it('FIT-10: a format that cannot be read is named', async () => {
    const heic = Buffer.concat([Buffer.from('0000001866747970686569630000000068656963', 'hex'), Buffer.alloc(64)]);
    await expect(bench.fit('IMG_1.HEIC', heic)).rejects.toMatchObject(
      refused('picture_format', 'HEIC', 'Most Compatible'),
    );
    const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(64)]);
    await expect(bench.fit('a.bmp', bmp)).rejects.toMatchObject(refused('picture_format', 'BMP', 'JPEG or PNG'));
    const psd = Buffer.concat([Buffer.from('8BPS\0\x01', 'latin1'), Buffer.alloc(64)]);
    await expect(bench.fit('a.psd', psd)).rejects.toMatchObject(refused('picture_format', 'PSD', 'JPEG or PNG'));
  });

  it('FIT-11: a picture that would fill the memory is refused by its head', async () => {
    // 144 million pixels in 140 kB.
    const bomb = bombPng(12_000);
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().rss;
    await expect(bench.fit('bomb.png', bomb)).rejects.toMatchObject(refused('picture_too_large', '12000 × 12000'));
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});

function withJpegSegment(bytes: Buffer, marker: number, text: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, text.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), head, Buffer.from(text), bytes.subarray(2)]);
}

/** A square of black pixels. */
function bombPng(side: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.writeUInt8(8, 8);
  const pixels = deflateSync(Buffer.alloc((side + 1) * side));
  const chunks = [pngChunk('IHDR', head), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
