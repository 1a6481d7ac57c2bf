const PIECES = 1_024;

/**
 * Text that grows piece by piece. A sum of strings keeps every piece and a link to it alive until somebody reads it,
 * which is several times the text itself in a reply of tens of thousands of deltas; joined, it is the text alone.
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
