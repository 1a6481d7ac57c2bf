import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';
import { open } from 'node:fs/promises';

export interface Recognised {
  readonly kind: 'picture' | 'document' | 'audio' | 'other';
  readonly mediaType: string;
}

/** Of bytes that are of no known kind. */
export const UNKNOWN_TYPE = 'application/octet-stream';

const PDF_HEAD_BYTES = 1_024;
/** Other names for the same sound. Voice memos of a phone have the last three. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-m4a': 'audio/m4a',
  'audio/mp4': 'audio/m4a',
  'audio/ogg; codecs=opus': 'audio/ogg',
};

/** What a file is, by its bytes: names and declared types are often wrong, and providers look at the bytes too. */
export async function recognise(path: string): Promise<Recognised> {
  const mediaType = await typeOf(path);
  if (mediaType.startsWith('image/') && mediaType !== 'image/svg+xml') return { kind: 'picture', mediaType };
  if (mediaType === 'application/pdf') return { kind: 'document', mediaType };
  if (mediaType.startsWith('audio/')) return { kind: 'audio', mediaType: AUDIO_TYPES[mediaType] ?? mediaType };
  return { kind: 'other', mediaType };
}

/** A PDF can be plain ASCII, so that it has to be told from text; readers allow some bytes before its mark. */
export async function isPdf(path: string): Promise<boolean> {
  return (await headOfFile(path, PDF_HEAD_BYTES)).includes('%PDF-');
}

export async function headOfFile(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function typeOf(path: string): Promise<string> {
  try {
    return (await fileTypeFromFile(path))?.mime ?? UNKNOWN_TYPE;
  } catch {
    // It reads into containers such as ZIP; a broken one is simply a file.
    return UNKNOWN_TYPE;
  }
}

/** What a browser shows without running anything. */
const SAFE_TYPES = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
  'audio/m4a',
]);

/** The type of bytes that may be shown in a browser, by their beginning; undefined for all others. */
export async function safeTypeOf(beginning: Uint8Array): Promise<string | undefined> {
  const mime = (await fileTypeFromBuffer(beginning).catch(() => undefined))?.mime;
  const mediaType = mime === undefined ? undefined : (AUDIO_TYPES[mime] ?? mime);
  if (mediaType === undefined || !SAFE_TYPES.has(mediaType)) return undefined;
  // Models call it by its ending, browsers by its registered name.
  return mediaType === 'audio/m4a' ? 'audio/mp4' : mediaType;
}
