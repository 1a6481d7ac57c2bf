import type { StreamEvent } from '@bough/core';

type Delta = Extract<StreamEvent, { type: 'text' | 'thinking' }>;

/**
 * Events that arrived together. Deltas that continue each other become one: whoever reads the reply then does its work once for all of them.
 * Their texts are joined, not added up: a sum of strings keeps every piece of it alive, and with it the text that the piece was cut out of.
 */
export class StreamRun {
  readonly #events: StreamEvent[] = [];
  #growing: Delta | null = null;
  #texts: string[] = [];

  add(event: StreamEvent): void {
    if (event.type !== 'text' && event.type !== 'thinking') {
      this.#seal();
      this.#events.push(event);
      return;
    }
    if (this.#growing?.type !== event.type || this.#growing.index !== event.index) {
      this.#seal();
      this.#growing = event;
    }
    this.#texts.push(event.text);
  }

  list(): readonly StreamEvent[] {
    this.#seal();
    return this.#events;
  }

  #seal(): void {
    if (this.#growing === null) return;
    const { type, index } = this.#growing;
    this.#events.push({ type, index, text: this.#texts.join('') });
    this.#growing = null;
    this.#texts = [];
  }
}
