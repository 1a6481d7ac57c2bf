import type { StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { objectsOf, stringOf } from '../wire.ts';
import { missing, wholeBlock } from './emit.ts';
import type { ItemFold, Part } from './item-fold.ts';

/** Summary parts and reasoning text become one thought, in paragraphs; the encrypted content signs it. */
export class ReasoningItem implements ItemFold {
  readonly type = 'reasoning';
  readonly #index: number;
  readonly #parts = new Map<number, string>();
  #item: WireItem = {};
  #signed = false;

  constructor(index: number) {
    this.#index = index;
  }

  begin(item: WireItem): readonly StreamEvent[] {
    // Its encrypted content is not read here: it may still be incomplete, and half a signature gets the request
    // rejected.
    this.#item = item;
    return [];
  }

  delta(part: Part, text: string): readonly StreamEvent[] {
    if (text === '' || (part.of !== 'summary' && part.of !== 'reasoning')) return [];
    const key = keyOf(part.of, part.index);
    const before = this.#parts.get(key);
    const separator = before === undefined && this.#parts.size > 0 ? '\n\n' : '';
    this.#parts.set(key, (before ?? '') + text);
    return [{ type: 'thinking', index: this.#index, text: separator + text }];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    this.#item = item;
    return [
      ...this.#rest('summary', item['summary']),
      ...this.#rest('reasoning', item['content']),
      ...this.#sign(item),
    ];
  }

  settle(last: WireItem | undefined): readonly StreamEvent[] {
    // Azure leaves the encrypted content out of the item and gives it only with the finished response.
    const signature = last === undefined ? [] : this.#sign(last);
    if (this.#signed || this.#parts.size > 0) return signature;
    // Reasoning that shows nothing at all is still a fact about the reply.
    return [{ type: 'block', index: this.#index, block: wholeBlock(this.#item) }];
  }

  #rest(of: 'summary' | 'reasoning', parts: unknown): StreamEvent[] {
    return objectsOf(parts).flatMap((part, index) => {
      const text = stringOf(part['text']) ?? '';
      return this.delta({ of, index }, missing(this.#parts.get(keyOf(of, index)) ?? '', text));
    });
  }

  #sign(item: WireItem): StreamEvent[] {
    const signature = stringOf(item['encrypted_content']);
    if (this.#signed || signature === undefined || signature === '') return [];
    this.#signed = true;
    return [{ type: 'signature', index: this.#index, signature }];
  }
}

/**
 * Summaries count up from zero, texts of the reasoning itself down from minus one: a number, because every delta needs
 * it.
 */
function keyOf(of: 'summary' | 'reasoning', index: number): number {
  return of === 'summary' ? index : -1 - index;
}
