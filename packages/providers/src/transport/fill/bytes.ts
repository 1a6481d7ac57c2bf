/** Node's Buffer does both several times faster; browsers and edge runtimes have none. */
const ofNode = (globalThis as { readonly Buffer?: typeof Buffer }).Buffer ?? null;

/** Whether `wanted`, which is not empty, occurs in `bytes`. */
export function includesBytes(bytes: Uint8Array, wanted: Uint8Array, native = ofNode): boolean {
  if (native !== null) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(wanted) >= 0;
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return true;
  }
  return false;
}

/** More arguments than this in one call would overflow the stack. */
const PIECE = 0x8000;

export function base64Of(bytes: Uint8Array, native = ofNode): string {
  if (native !== null) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}

export function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}
