/** A WAV file of silence: 8,000 samples of two bytes in a second. Its head may tell another length. */
export function wavOf(seconds: number, toldLength?: number): Buffer {
  const data = Buffer.alloc(seconds * 16_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(toldLength ?? data.length, 40);
  return Buffer.concat([head, data]);
}
