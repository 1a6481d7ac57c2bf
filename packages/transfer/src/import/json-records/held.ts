/**
 * A text that comes in pieces. One that grows too long is discarded at once: a file may hold an element of any size.
 */
export class Held {
  readonly #longest: number;
  #pieces: string[] = [];
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether another piece would be too much. */
  isFullWith(piece: string): boolean {
    return this.#length + piece.length > this.#longest;
  }

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#longest) this.#pieces = [];
    else if (piece !== '') this.#pieces.push(piece);
  }

  /** Null where it was too long to hold. */
  take(): string | null {
    const text = this.#length > this.#longest ? null : this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}
