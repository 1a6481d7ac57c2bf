const CHUNK_BYTES = 16 * 1024;
const MAX_BYTES_PER_UNIT = 3;

/**
 * Text that is kept until the reply ends, as bytes. A long reply arrives in tens of thousands of pieces; kept as
 * strings, each would stay on the garbage-collected heap, which then grows to twice its content. The text must be well
 * formed: it comes from a decoder.
 */
export class KeptText {
  readonly #encoder = new TextEncoder();
  readonly #full: Uint8Array[] = [];
  #chunk = new Uint8Array(0);
  #used = 0;

  push(text: string): void {
    if (text.length * MAX_BYTES_PER_UNIT > this.#chunk.length - this.#used) this.#grow(text);
    this.#used += this.#encoder.encodeInto(text, this.#chunk.subarray(this.#used)).written;
  }

  /** The text in pieces, in order, each created on demand. */
  *pieces(): Generator<string, void> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (const bytes of this.#full) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode(this.#chunk.subarray(0, this.#used));
  }

  #grow(text: string): void {
    if (this.#used > 0) this.#full.push(this.#chunk.slice(0, this.#used));
    this.#chunk = new Uint8Array(Math.max(CHUNK_BYTES, text.length * MAX_BYTES_PER_UNIT));
    this.#used = 0;
  }
}
