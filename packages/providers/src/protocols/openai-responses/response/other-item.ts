import type { StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { wholeBlock } from './emit.ts';
import type { ItemFold } from './item-fold.ts';

/** What an item means to a client beyond being there; null if nothing. */
type Meaning = (item: WireItem, index: number) => StreamEvent | null;

/** A tool that the provider runs itself, a call that is not a function's, or an item of a future type: whole or not. */
export class OtherItem implements ItemFold {
  readonly type: string;
  readonly #index: number;
  readonly #meaning: Meaning;
  #begun: WireItem = {};
  #finished = false;

  constructor(type: string, index: number, meaning: Meaning = () => null) {
    this.type = type;
    this.#index = index;
    this.#meaning = meaning;
  }

  begin(item: WireItem): readonly StreamEvent[] {
    this.#begun = item;
    return [];
  }

  delta(): readonly StreamEvent[] {
    return [];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    return this.#close(item, this.#meaning(item, this.#index));
  }

  settle(last: WireItem | undefined): readonly StreamEvent[] {
    // If it broke off, what was known at its beginning is all there is, and it means nothing yet.
    return last === undefined ? this.#close(this.#begun, null) : this.finish(last);
  }

  #close(item: WireItem, meaning: StreamEvent | null): readonly StreamEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    return [meaning ?? { type: 'block', index: this.#index, block: wholeBlock(item) }];
  }
}
