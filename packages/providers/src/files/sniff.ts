/** What the first bytes of a file tell about it. */
export interface Sniffed {
  /** Null if the bytes are of no kind that is known here. */
  readonly mediaType: string | null;
  /** In pixels; 0 where they were not found. */
  readonly width: number;
  readonly height: number;
}

/** How many bytes are enough: a JPEG may carry a preview in front of its size. */
export const SNIFFED_BYTES = 256 * 1024;

/** Names shall not be trusted: providers look at the bytes, and so does this. */
export function sniff(bytes: Uint8Array): Sniffed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = (text: string, at = 0): boolean => {
    for (let index = 0; index < text.length; index += 1) {
      if (bytes[at + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  };
  const of = (mediaType: string, width = 0, height = 0): Sniffed => ({ mediaType, width, height });
  if (starts('\x89PNG\r\n\x1a\n')) {
    return bytes.length < 24 ? of('image/png') : of('image/png', view.getUint32(16), view.getUint32(20));
  }
  if (starts('\xff\xd8\xff')) return of('image/jpeg', ...jpegSize(view));
  if (starts('GIF87a') || starts('GIF89a')) {
    return bytes.length < 10 ? of('image/gif') : of('image/gif', view.getUint16(6, true), view.getUint16(8, true));
  }
  if (starts('RIFF') && starts('WEBP', 8)) return of('image/webp', ...webpSize(view, starts));
  if (starts('RIFF') && starts('WAVE', 8)) return of('audio/wav');
  if (starts('%PDF-')) return of('application/pdf');
  if (starts('ID3') || isMp3Frame(bytes)) return of('audio/mpeg');
  if (starts('OggS')) return of('audio/ogg');
  if (starts('fLaC')) return of('audio/flac');
  if (starts('ftypM4A', 4)) return of('audio/m4a');
  return { mediaType: null, width: 0, height: 0 };
}

const isMp3Frame = ([first, second]: Uint8Array): boolean =>
  first === 0xff && second !== undefined && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0;

/** Walks the segments up to the frame that holds the size. */
function jpegSize(view: DataView): readonly [number, number] {
  let at = 2;
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return [0, 0];
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return [0, 0];
}

function webpSize(view: DataView, starts: (text: string, at: number) => boolean): readonly [number, number] {
  if (view.byteLength < 30) return [0, 0];
  const threeBytes = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (starts('VP8X', 12)) return [threeBytes(24) + 1, threeBytes(27) + 1];
  if (starts('VP8 ', 12)) return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  if (!starts('VP8L', 12)) return [0, 0];
  const bits = view.getUint32(21, true);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}
