import type { StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { wholeBlock } from './emit.ts';
import type { ItemFold } from './item-fold.ts';

/** A tool that the provider runs itself, or an item of a future type: kept whole, once it is whole. */
export class OtherItem implements ItemFold {
  readonly type: string;
  readonly #index: number;
  #begun: WireItem = {};
  #finished = false;

  constructor(type: string, index: number) {
    this.type = type;
    this.#index = index;
  }

  begin(item: WireItem): readonly StreamEvent[] {
    this.#begun = item;
    return [];
  }

  delta(): readonly StreamEvent[] {
    return [];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    return [{ type: 'block', index: this.#index, block: wholeBlock(item) }];
  }

  settle(last: WireItem | undefined): readonly StreamEvent[] {
    // If it broke off, what was known at its beginning is all there is.
    return this.finish(last ?? this.#begun);
  }
}
