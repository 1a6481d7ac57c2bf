/** The checksum of ZIP files. Node has one of its own only from version 22.2 on. */
export class Crc32 {
  #state = 0xffffffff;

  add(bytes: Uint8Array): void {
    let state = this.#state;
    for (const byte of bytes) state = (state >>> 8) ^ (TABLE[(state ^ byte) & 0xff] ?? 0);
    this.#state = state;
  }

  value(): number {
    return (this.#state ^ 0xffffffff) >>> 0;
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});
