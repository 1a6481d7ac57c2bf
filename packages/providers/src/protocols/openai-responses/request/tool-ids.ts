import type { ContextItem } from '@bough/core';
import { isToolUseBlock, sha256 } from '@bough/core';
import { MAX_ID_LENGTH } from '../items.ts';

/** The call ids of one context item as they are sent: original id → id on the wire. */
export type CallIds = ReadonlyMap<string, string>;

const ACCEPTED = /^[A-Za-z0-9_-]+$/;

/**
 * Ids that the API refuses are replaced by a hash of themselves, on call and result alike. An id that an earlier call
 * of the path already has is replaced too (some vendors count from zero in every reply): a result must find its own
 * call.
 */
export function assignCallIds(items: readonly ContextItem[]): readonly CallIds[] {
  const taken = new Set<string>();
  const newest = new Map<string, string>();
  return items.map(({ message }) => {
    if (message.role === 'tool') {
      const id = message.tool_call_id;
      return new Map([[id, newest.get(id) ?? wireId(id, 0)]]);
    }
    const ids = new Map<string, string>();
    for (const block of message.content) {
      if (!isToolUseBlock(block) || ids.has(block.id)) continue;
      let id = wireId(block.id, 0);
      for (let repeat = 1; taken.has(id); repeat += 1) id = wireId(block.id, repeat);
      taken.add(id);
      newest.set(block.id, id);
      ids.set(block.id, id);
    }
    return ids;
  });
}

function wireId(id: string, repeat: number): string {
  if (repeat === 0 && id.length <= MAX_ID_LENGTH && ACCEPTED.test(id)) return id;
  return `call_${sha256(`${id}#${repeat}`).slice(0, 24)}`;
}

/** The ids that differ from the original ones, for the report and for the key of a rendering. */
export function rewrittenIds(ids: CallIds): readonly (readonly [string, string])[] {
  return [...ids].filter(([original, wire]) => original !== wire);
}
