import { sha256 } from '@bough/core';

/** Gives every call of one reply its id, in order: Gemini's own, or one derived from the reply if Gemini gives none. */
export class CallIds {
  readonly #reply: string;
  #count = 0;

  /** `reply` must be the same whenever the same raw reply is read: the response id, otherwise its first bytes. */
  constructor(reply: string) {
    this.#reply = reply;
  }

  next(own: unknown): string {
    this.#count += 1;
    if (typeof own === 'string' && own !== '') return own;
    return `call_${sha256(`${this.#reply}:${this.#count}`).slice(0, 24)}`;
  }
}
