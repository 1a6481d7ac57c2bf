import type { StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';

/** The part of an item that a delta belongs to. */
export interface Part {
  readonly of: 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments';
  readonly index: number;
}

/**
 * One output item while it arrives. It remembers what it has emitted, so that the final form of the item, which repeats
 * everything, adds only what is missing: nothing is shown twice, and nothing is lost if a server streams no deltas.
 */
export interface ItemFold {
  readonly type: string;
  /** The item is announced. */
  readonly begin: (item: WireItem) => readonly StreamEvent[];
  readonly delta: (part: Part, text: string) => readonly StreamEvent[];
  /** The item is whole. */
  readonly finish: (item: WireItem) => readonly StreamEvent[];
  /** The reply is over; `last` is the item's form in the terminal response, if there is one. */
  readonly settle: (last: WireItem | undefined) => readonly StreamEvent[];
}

/** The next free block index: blocks come in the order in which the provider opened them. */
export type NextIndex = () => number;
