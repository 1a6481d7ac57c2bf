const PIECES = 1_024;

/**
 * Text that grows piece by piece. Concatenated strings keep every piece and a link to it alive until the text is read,
 * which is several times the text itself in a reply of tens of thousands of deltas; once joined, only the text remains.
 */
export class GrowingText {
  #joined = '';
  #pieces: string[];

  constructor(...pieces: readonly string[]) {
    this.#pieces = [...pieces];
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length === PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
  }
}
