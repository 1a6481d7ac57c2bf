/**
 * Whether a JPEG or PNG holds the picture and nothing else. What a camera, a phone or an editor adds (where it was
 * taken, by whom, a smaller picture of what was cropped away, a film behind the end) must not leave with it.
 */
export function isBare(bytes: Buffer, format: string): boolean {
  if (format === 'jpeg') return isBareJpeg(bytes);
  return format === 'png' && isBarePng(bytes);
}

/** Only what says how to draw the pixels. Colour profiles are applied instead of sent: models ignore them. */
const PNG_CHUNKS = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'pHYs']);

function isBarePng(bytes: Buffer): boolean {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (!PNG_CHUNKS.has(name)) return false;
    at += 12 + bytes.readUInt32BE(at);
    if (name === 'IEND') return at === bytes.length;
  }
  return false;
}

const JFIF = 0xe0;
const ADOBE = 0xee;
const COMMENT = 0xfe;
const START_OF_SCAN = 0xda;
const END = 0xd9;

function isBareJpeg(bytes: Buffer): boolean {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === END) return at + 2 === bytes.length;
    const isExtra = (marker >= 0xe0 && marker <= 0xef && marker !== JFIF && marker !== ADOBE) || marker === COMMENT;
    if (isExtra) return false;
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === START_OF_SCAN) at = afterScan(bytes, at);
  }
  return at + 2 === bytes.length && bytes[at] === 0xff && bytes[at + 1] === END;
}

/** Inside a scan, 0xff is followed by 0 or by a restart mark. */
function afterScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7) && next !== 0xff) return at;
  }
  return bytes.length;
}
