// SHA-256 (FIPS 180-4). Core may import nothing, and what every platform has is asynchronous: a match key is needed in the middle of
// pure, synchronous code. Node's own is found without an import, and is several times as fast for long texts. The tests compare both.

const ROUND = new Int32Array(64);
const INITIAL = new Int32Array(8);
// Shared by all calls: hashing never yields, and most texts are so short that arrays of their own would cost more than the hash.
const STATE = new Int32Array(8);
const WORDS = new Int32Array(64);
const PIECE = 2_048;
/** Three bytes for each character, and a block of which the piece before left a part. */
const SCRATCH = new Uint8Array(PIECE * 3 + 128);

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
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0;
}

/** From here on the platform's own is faster, where there is one that answers at once. */
const LONG = 4_096;

interface Platform {
  readonly process?: { readonly getBuiltinModule?: (name: string) => { readonly hash?: Digest } | undefined };
}
type Digest = (algorithm: string, text: string) => string;

const platformDigest = (globalThis as Platform).process?.getBuiltinModule?.('node:crypto')?.hash;

/** The SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export function sha256(text: string): string {
  return text.length >= LONG && platformDigest !== undefined ? platformDigest('sha256', text) : ownSha256(text);
}

/** Long texts go through the scratch space piece by piece. */
export function ownSha256(text: string): string {
  STATE.set(INITIAL);
  let held = 0;
  let total = 0;
  for (let from = 0; from < text.length;) {
    const to = pieceEnd(text, from);
    const end = encode(text, from, to, SCRATCH, held);
    total += end - held;
    held = compressWhole(end);
    from = to;
  }
  compressWhole(pad(held, total));
  let hex = '';
  for (let i = 0; i < 8; i += 1) hex += (word(STATE, i) >>> 0).toString(16).padStart(8, '0');
  return hex;
}

/** Never between the halves of a pair. */
function pieceEnd(text: string, from: number): number {
  const to = Math.min(text.length, from + PIECE);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}

/** Hashes every whole block of the first `length` bytes and moves what is left to the front. Returns how much that is. */
function compressWhole(length: number): number {
  let offset = 0;
  for (; offset + 64 <= length; offset += 64) compress(SCRATCH, offset);
  SCRATCH.copyWithin(0, offset, length);
  return length - offset;
}

/** Whole transcripts pass through here: eight variables that change places, no array and no call that the engine cannot inline. */
function compress(bytes: Uint8Array, offset: number): void {
  const w = WORDS;
  const state = STATE;
  for (let i = 0, from = offset; i < 16; i += 1, from += 4) {
    w[i] =
      (byte(bytes, from) << 24) | (byte(bytes, from + 1) << 16) | (byte(bytes, from + 2) << 8) | byte(bytes, from + 3);
  }
  for (let i = 16; i < 64; i += 1) {
    const x = word(w, i - 15);
    const y = word(w, i - 2);
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (word(w, i - 16) + s0 + word(w, i - 7) + s1) | 0;
  }
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  let f = word(state, 5);
  let g = word(state, 6);
  let h = word(state, 7);
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + word(ROUND, i) + word(w, i)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = word(state, 0) + a;
  state[1] = word(state, 1) + b;
  state[2] = word(state, 2) + c;
  state[3] = word(state, 3) + d;
  state[4] = word(state, 4) + e;
  state[5] = word(state, 5) + f;
  state[6] = word(state, 6) + g;
  state[7] = word(state, 7) + h;
}

/** Closes the text with a mark, zeros and its length in bits, and returns where the last block ends. */
function pad(held: number, total: number): number {
  const end = held < 56 ? 64 : 128;
  SCRATCH.fill(0, held, end);
  SCRATCH[held] = 0x80;
  const view = new DataView(SCRATCH.buffer);
  view.setUint32(end - 8, Math.floor(total / 0x2000_0000));
  view.setUint32(end - 4, (total << 3) >>> 0);
  return end;
}

/** Half of a surrogate pair becomes U+FFFD, as everywhere on the web. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  return bytes.subarray(0, encode(text, 0, text.length, bytes, 0));
}

/** Writes a piece of the text into `bytes`, which must have room for three of them per character, and returns where it ends. */
function encode(text: string, from: number, to: number, bytes: Uint8Array, at: number): number {
  let length = at;
  for (let index = from; index < to; index += 1) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const pair = text.codePointAt(index) ?? code;
      if (pair > 0xffff) index += 1;
      code = pair > 0xffff ? pair : 0xfffd;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
    } else {
      if (code < 0x1_0000) {
        bytes[length++] = 0xe0 | (code >> 12);
      } else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return length;
}

// One reader per kind of array: shared by both, neither would be compiled to a plain load.

function word(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
