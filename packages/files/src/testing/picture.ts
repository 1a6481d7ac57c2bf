import sharp from 'sharp';

/** Colours that no format can predict, the same each time: a picture that stays large. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): ReturnType<typeof sharp> {
  const pixels = Buffer.alloc(width * height * channels);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    pixels.writeUInt32LE(state, at <= pixels.length - 4 ? at : pixels.length - 4);
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

/** One colour all over. */
export function plain(width: number, height: number, background: string = '#3366cc'): ReturnType<typeof sharp> {
  return sharp({ create: { width, height, channels: 3, background } });
}
