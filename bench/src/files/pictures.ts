import { randomFillSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** Pictures of noise, which no format makes smaller: PNG files of about so many bytes. */
export async function makePictures(directory: string, count: number, bytes: number): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const paths = Array.from({ length: count }, (_, at) => join(directory, `picture ${at + 1}.png`));
  for (const path of paths) await writeFile(path, noise(Math.round(Math.sqrt(bytes / 3))));
  return paths;
}

function noise(side: number): Buffer {
  const rows = randomFillSync(Buffer.alloc((side * 3 + 1) * side));
  // Each row begins with the filter that was applied to it: none.
  for (let row = 0; row < side; row += 1) rows[row * (side * 3 + 1)] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
