import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 320;
const HEIGHT = 200;

/** A picture as a provider draws one, in base64: a hill under a sky whose colours depend on the words. */
export function drawnPicture(words: string): string {
  const tint = crc32(words);
  const sky = [120 + (tint & 63), 150 + ((tint >>> 6) & 63), 190 + ((tint >>> 12) & 63)];
  const hill = [60 + ((tint >>> 18) & 63), 110 + ((tint >>> 24) & 63), 70];
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const isSky = y < HEIGHT * 0.65 - 40 * Math.sin((Math.PI * x) / WIDTH);
      const light = isSky ? Math.round(y / 8) : 0;
      rows.set(
        (isSky ? sky : hill).map((value) => Math.min(255, value + light)),
        y * (1 + WIDTH * 3) + 1 + x * 3,
      );
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
