import { createHash } from 'node:crypto';

/** Where an object is in its pack, and the checksum of its bytes there. */
export interface PackedObject {
  readonly oid: string;
  readonly offset: number;
  readonly crc: number;
}

/**
 * The index of a pack, version 2: how many ids begin with each byte, the sorted ids, their checksums, their offsets.
 */
export function packIndex(objects: readonly PackedObject[], packChecksum: Buffer): Buffer {
  const sorted = [...objects].sort((a, b) => (a.oid < b.oid ? -1 : 1));
  const parts = [
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    fanOut(sorted),
    Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex'),
    words(sorted.map(({ crc }) => crc)),
    words(sorted.map(({ offset }) => offset)),
    packChecksum,
  ];
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function fanOut(sorted: readonly PackedObject[]): Buffer {
  const counts = Array.from<number>({ length: 256 }).fill(0);
  for (const { oid } of sorted) {
    const first = Number.parseInt(oid.slice(0, 2), 16);
    counts[first] = (counts[first] ?? 0) + 1;
  }
  let sum = 0;
  return words(counts.map((count) => (sum += count)));
}

/** Offsets fit into 31 bits: a pack of Bough's is never larger than what waits in memory before it is written. */
function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}
