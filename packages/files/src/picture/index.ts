import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata, Sharp } from 'sharp';
import { FitError } from '../errors.ts';
import type { FitNote, Fitted, Given } from '../fitted.ts';
import { FIT_LIMITS } from '../limits.ts';
import { isBare } from './bare.ts';
import { loadSharp } from './load-sharp.ts';
import type { OpenPicture } from './load-sharp.ts';

/** What libvips was built to read; everything else needs another program first. */
const READABLE = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
]);
const BEST = 85;
const BETWEEN = [75, 65];
const WORST = 50;
/** From here on the worst is tried next. */
const FAR = 1.5;
/** Each step has half the pixels of the one before. */
const SHRINK = Math.SQRT1_2;
const JPEG = 'image/jpeg';
const PNG = 'image/png';

/** A picture that every vision model takes: upright, without metadata, small enough, as JPEG or PNG. */
export async function fitPicture(given: Given, mediaType: string): Promise<Fitted> {
  const { name, path, size } = given;
  if (!READABLE.has(mediaType))
    throw new FitError(
      'picture_format',
      `${name} is a picture of the kind ${kindOf(mediaType)}, which Bough cannot read. Save it as JPEG or PNG and ` +
        `attach that.${/hei[cf]/.test(mediaType) ? IPHONE : ''}`,
    );
  const sharp = await loadSharp();
  const open = (): Sharp =>
    sharp(path, { limitInputPixels: FIT_LIMITS.pixels, failOn: 'error', sequentialRead: true, pages: 1 });
  const about = await measured(given, sharp);
  const notes = (about.pages ?? 1) > 1 || mediaType === 'image/apng' ? [firstOnly(given, mediaType)] : [];
  const original = { path, mediaType, size };
  const upright = uprightSize(about);

  try {
    if (await fitsAlready(given, mediaType, about, upright)) {
      // A picture that breaks off has a good head.
      await open().stats();
      return { type: 'image', name, file: original, ...upright, notes };
    }
    const { data, isJpeg } = await encoded(sharp, await drawn(open(), upright), about.format);
    const made = join(given.directory, isJpeg ? 'fitted.jpg' : 'fitted.png');
    await writeFile(made, data.bytes, { flag: 'wx' });
    const file = { path: made, mediaType: isJpeg ? JPEG : PNG, size: data.bytes.length };
    return { type: 'image', name, file, original, width: data.width, height: data.height, notes };
  } catch (error) {
    if (error instanceof FitError || isDiskTrouble(error)) throw error;
    throw unreadable(given, error);
  }
}

/** Reads the head only, and refuses what must not be decoded. */
async function measured(given: Given, sharp: OpenPicture): Promise<Metadata> {
  let about: Metadata;
  try {
    // Its own limit would come without the size that a person has to know.
    about = await sharp(given.path, { limitInputPixels: false, pages: 1 }).metadata();
  } catch (error) {
    throw unreadable(given, error);
  }
  const { width, height } = about;
  if (width * height > FIT_LIMITS.pixels)
    throw new FitError(
      'picture_too_large',
      `${given.name} has ${width} × ${height} pixels. At most ${FIT_LIMITS.pixels / 1e6} million are read: make it ` +
        'smaller, or cut out the part that matters.',
    );
  if (Math.max(width, height) > FIT_LIMITS.aspect * Math.min(width, height))
    throw new FitError(
      'picture_too_narrow',
      `${given.name} has ${width} × ${height} pixels; models refuse pictures that are more than ${FIT_LIMITS.aspect} ` +
        'times as long as they are wide. Cut it into pieces.',
    );
  return about;
}

/** Where these pictures come from, so that the next one can be attached as it is. */
const IPHONE = ' An iPhone takes pictures as JPEG with Settings › Camera › Formats › Most Compatible.';

function kindOf(mediaType: string): string {
  const kind = mediaType.replace(/^image\/(?:x-)?/, '');
  return kind === 'vnd.adobe.photoshop' ? 'PSD' : kind.toUpperCase();
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Orientations from 5 on are those in which width and height change places. */
function uprightSize({ width, height, orientation = 1 }: Metadata): Size {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

/** Above 1 for a picture that is smaller than models take. */
function scaleOf({ width, height }: Size): number {
  const larger = Math.max(width, height);
  if (larger > FIT_LIMITS.side) return FIT_LIMITS.side / larger;
  return Math.max(1, Math.ceil(Math.sqrt(FIT_LIMITS.leastPixels / (width * height))));
}

async function fitsAlready(given: Given, mediaType: string, about: Metadata, size: Size): Promise<boolean> {
  if (mediaType !== JPEG && mediaType !== PNG) return false;
  if (given.size > FIT_LIMITS.pictureBytes || scaleOf(size) !== 1 || (about.orientation ?? 1) !== 1) return false;
  if (about.depth !== 'uchar' || (about.space !== 'srgb' && about.space !== 'b-w')) return false;
  return isBare(await readFile(given.path), about.format);
}

interface Encoded extends Size {
  readonly bytes: Buffer;
}

interface Pixels {
  readonly data: Buffer;
  readonly raw: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** Decoded once, upright and at its final size, in plain colours: at most 16 MB, however large the picture was. */
async function drawn(picture: Sharp, size: Size): Promise<Pixels> {
  const scale = scaleOf(size);
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.round(side * scale)));
  // An icon that is enlarged keeps its pixels.
  const kernel = scale > 1 ? 'nearest' : 'lanczos3';
  const upright = picture.autoOrient();
  const sized = scale === 1 ? upright : upright.resize(width, height, { fit: 'fill', kernel });
  const { data, info } = await sized
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}

/**
 * Flat graphics stay exact as PNG; what is too large for that is a photograph and becomes JPEG, in lower quality and
 * then smaller until it fits.
 */
async function encoded(
  sharp: OpenPicture,
  { data: pixels, raw }: Pixels,
  format: string,
): Promise<{ readonly data: Encoded; readonly isJpeg: boolean }> {
  const picture = (): Sharp => sharp(pixels, { raw });
  if (format !== 'jpeg') {
    const data = await written(picture().png());
    if (data.bytes.length <= FIT_LIMITS.pictureBytes) return { data, isJpeg: false };
  }
  // Text in a screenshot is unreadable where its colours are blurred.
  const chromaSubsampling = format === 'jpeg' ? '4:2:0' : '4:4:4';
  for (let scale = 1; ; scale *= SHRINK) {
    const data = await bestQuality((quality) => {
      const flat = picture().flatten({ background: '#ffffff' });
      const sized = scale === 1 ? flat : flat.resize({ width: Math.max(1, Math.round(raw.width * scale)) });
      return written(sized.jpeg({ quality, chromaSubsampling }));
    });
    if (data !== null) return { data, isJpeg: true };
  }
}

/**
 * In the best quality that is small enough; null if there is none. A picture that is far too large in the best is tried
 * in the worst at once: where even that does not fit, those between need not be tried (a third of the time for noise).
 */
async function bestQuality(encode: (quality: number) => Promise<Encoded>): Promise<Encoded | null> {
  const fits = ({ bytes }: Encoded): boolean => bytes.length <= FIT_LIMITS.pictureBytes;
  const best = await encode(BEST);
  if (fits(best)) return best;
  const isFar = best.bytes.length > FAR * FIT_LIMITS.pictureBytes;
  const worst = isFar ? await encode(WORST) : null;
  if (worst !== null && !fits(worst)) return null;
  for (const quality of BETWEEN) {
    const data = await encode(quality);
    if (fits(data)) return data;
  }
  const last = worst ?? (await encode(WORST));
  return fits(last) ? last : null;
}

async function written(picture: Sharp): Promise<Encoded> {
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

function firstOnly({ name }: Given, mediaType: string): FitNote {
  const part = mediaType === 'image/tiff' ? 'page' : 'frame';
  return { code: `first_${part}`, message: `${name} has several ${part}s: models see the first one.` };
}

function unreadable({ name }: Given, cause: unknown): FitError {
  return new FitError(
    'picture_unreadable',
    `${name} cannot be read as a picture: it is damaged, or breaks off in the middle. Open it in a picture program and ` +
      'save it again, or get it again from where it came.',
    { cause },
  );
}

/** A full disk is not the picture's fault. */
function isDiskTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
