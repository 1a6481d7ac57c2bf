import type { ContentBlock } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { stringOf } from '../wire.ts';

/**
 * The part of the final text that has not been emitted yet. A final text that contradicts the streamed one adds
 * nothing.
 */
export function missing(emitted: string, final: string): string {
  return final.startsWith(emitted) ? final.slice(emitted.length) : '';
}

/** An item or a part that no neutral event describes, as a block with all of its fields. */
export function wholeBlock(item: WireItem): ContentBlock {
  const type = stringOf(item['type']);
  return type === undefined || type === '' ? { type: 'unknown_item', item } : { ...item, type };
}
