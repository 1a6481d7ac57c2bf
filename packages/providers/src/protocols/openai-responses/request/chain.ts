import type { ContextItem } from '@bough/core';
import type { RenderInput } from '../../../protocol.ts';
import type { FinalReply } from '../response/final-items.ts';
import { isAsync, needsAnswer, pairingId } from '../items.ts';
import type { ResponsesQuirks } from '../traits.ts';

/** Where a request may continue: the response that the provider holds, and the first item that it does not know yet. */
export interface Chain {
  readonly responseId: string;
  readonly firstNewItem: number;
}

/**
 * Whether the context up to the named response is what the provider has stored under it. The provider would include
 * anything that this request leaves out: then the whole context is sent instead.
 */
export function findChain(
  input: Pick<RenderInput, 'items' | 'previousResponse'>,
  quirks: ResponsesQuirks,
  replyOf: (item: ContextItem) => FinalReply | undefined,
): Chain | undefined {
  const { items, previousResponse } = input;
  if (previousResponse === undefined || !quirks.storeResponses) return undefined;
  const at = items.findIndex((item) => item.nodeIds.includes(previousResponse.nodeId));
  const last = items[at];
  if (last === undefined || at === items.length - 1 || last.source !== 'raw') return undefined;
  if (items.slice(0, at + 1).some((item) => item.source === 'raw' && (item.reasoning === 'omit' || item.partial))) {
    return undefined;
  }
  const reply = replyOf(last);
  if (reply === undefined || reply.responseId !== previousResponse.id) return undefined;
  const answered = new Set(last.answeredCalls);
  const open = reply.items.some(
    ({ item }) => needsAnswer(item) && !isAsync(item) && !answered.has(pairingId(item) ?? ''),
  );
  return open ? undefined : { responseId: previousResponse.id, firstNewItem: at + 1 };
}
