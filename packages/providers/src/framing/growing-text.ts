/** So many pieces are joined at a time. */
const MANY = 256;

/**
 * A text that comes in thousands of pieces. A plain sum of strings would keep each piece, and the event that it was cut out of, until
 * somebody reads the sum: for the length of a reply the garbage collector moves them from place to place.
 */
export class GrowingText {
  #text: string;
  #pieces: string[];

  constructor(...pieces: readonly string[]) {
    this.#text = '';
    this.#pieces = [...pieces];
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= MANY) this.#join();
  }

  get text(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
