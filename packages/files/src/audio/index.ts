import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** How long a sound is, as far as its head tells; nothing is decoded. */
export async function secondsOf(path: string, mediaType: string, size: number): Promise<number | undefined> {
  if (mediaType !== 'audio/wav' && mediaType !== 'audio/mpeg') return undefined;
  const file = await open(path);
  try {
    const seconds = mediaType === 'audio/wav' ? await wavSeconds(file, size) : await mp3Seconds(file, size);
    return seconds === undefined || !Number.isFinite(seconds) ? undefined : Math.round(seconds * 10) / 10;
  } finally {
    await file.close();
  }
}

/** RIFF chunks: the rate is in `fmt `, the length is that of `data`. */
async function wavSeconds(file: FileHandle, size: number): Promise<number | undefined> {
  let rate: number | undefined;
  // A broken file can hold as many empty chunks as it likes.
  for (let at = 12, chunks = 0; at + 8 <= size && chunks < 100; chunks++) {
    const chunk = await read(file, at, 20);
    if (chunk.length < 8) return undefined;
    const length = chunk.readUInt32LE(4);
    const name = chunk.toString('latin1', 0, 4);
    if (name === 'fmt ' && chunk.length === 20) rate = chunk.readUInt32LE(16);
    // Recorders that were cut off leave a length of 0 or of 4 GB.
    if (name === 'data') return rate === undefined || rate === 0 ? undefined : lengthIn(size - at - 8, length) / rate;
    at += 8 + length + (length % 2);
  }
  return undefined;
}

const lengthIn = (room: number, told: number): number => (told === 0 || told > room ? room : told);

const BITRATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** The first frame of an MP3: with a count of frames (Xing) exactly, otherwise by its bit rate. */
async function mp3Seconds(file: FileHandle, size: number): Promise<number | undefined> {
  const tag = await read(file, 0, 10);
  const isTagged = tag.length === 10 && tag.toString('latin1', 0, 3) === 'ID3';
  const start = isTagged ? 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((tag[at] ?? 0) & 0x7f), 0) : 0;
  const bytes = await read(file, start, 4_096);
  const at = frameIn(bytes);
  if (at === undefined) return undefined;
  const [, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4);
  const version = (second >> 3) & 3;
  const isV1 = version === 3;
  const bitrate = (isV1 ? BITRATES_V1 : BITRATES_V2)[third >> 4] ?? 0;
  const rate = (SAMPLE_RATES[(third >> 2) & 3] ?? 0) / (isV1 ? 1 : version === 2 ? 2 : 4);
  if (bitrate === 0 || rate === 0) return undefined;
  const isMono = fourth >> 6 === 3;
  const info = at + 4 + (isV1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  const label = bytes.toString('latin1', info, info + 4);
  if ((label === 'Xing' || label === 'Info') && bytes.length >= info + 12 && (bytes.readUInt32BE(info + 4) & 1) === 1)
    return (bytes.readUInt32BE(info + 8) * (isV1 ? 1_152 : 576)) / rate;
  return ((size - start - at) * 8) / (bitrate * 1_000);
}

/** Layer III, version 1, 2 or 2.5. */
function frameIn(bytes: Buffer): number | undefined {
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const second = bytes[at + 1] ?? 0;
    if (bytes[at] === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08) return at;
  }
  return undefined;
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}
