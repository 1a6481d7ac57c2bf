/** Frames of MPEG 1 layer III at 128 kbit/s and 44.1 kHz, which are 417 bytes long. */
export function mp3Of(frames: number, countedFrames?: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  const all = Buffer.concat(Array.from({ length: frames }, () => frame));
  if (countedFrames === undefined) return all;
  all.write('Xing', 36, 'latin1');
  all.writeUInt32BE(1, 40);
  all.writeUInt32BE(countedFrames, 44);
  return all;
}
