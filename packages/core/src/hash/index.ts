// SHA-256 (FIPS 180-4). Core may import nothing, and the platform's own digest is asynchronous: a match key is needed in the
// middle of pure, synchronous code. The tests compare it with the platform's.

const ROUND = new Uint32Array(64);
const INITIAL = new Uint32Array(8);

// The constants are the fractional parts of the roots of the first primes; computed, so that none can be mistyped.
(() => {
  let found = 0;
  for (let candidate = 2; found < 64; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) prime &&= candidate % divisor !== 0;
    if (!prime) continue;
    if (found < 8) INITIAL[found] = fraction(Math.sqrt(candidate));
    ROUND[found] = fraction(Math.cbrt(candidate));
    found += 1;
  }
})();

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) >>> 0;
}

/** The SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export function sha256(text: string): string {
  const state = INITIAL.slice();
  const bytes = padded(utf8(text));
  const words = new Uint32Array(64);
  const view = new DataView(bytes.buffer);
  for (let offset = 0; offset < bytes.length; offset += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(offset + i * 4);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const a = at(w, i - 15);
    const b = at(w, i - 2);
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w[i] = (at(w, i - 16) + s0 + at(w, i - 7) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => at(state, i)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUND, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => {
    state[i] = at(state, i) + value;
  });
}

function padded(bytes: Uint8Array): Uint8Array {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const result = new Uint8Array(length);
  result.set(bytes);
  result[bytes.length] = 0x80;
  const view = new DataView(result.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(length - 4, (bytes.length << 3) >>> 0);
  return result;
}

/** Half of a surrogate pair becomes U+FFFD, as everywhere on the web. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of text) {
    let code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) bytes[length++] = code;
    else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x1_0000) {
      bytes[length++] = 0xe0 | (code >> 12);
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[length++] = 0xf0 | (code >> 18);
      bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
    }
  }
  return bytes.subarray(0, length);
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
