import type { ContextItem } from '@bough/core';
import { isAsync, isFunctionCall, isProgramOutput, needsAnswer, pairingId, programOf } from '../items.ts';
import type { FinalReply } from '../response/final-items.ts';
import type { WireItem } from '../wire.ts';
import { stringOf } from '../wire.ts';
import type { RenderedItems } from './message.ts';
import { resultItems } from './message.ts';
import { mannerOfOutput, outputItem } from './outputs.ts';
import type { CallIds } from './tool-ids.ts';

/** The results that stand directly behind an item. */
export function resultsBehind(items: readonly ContextItem[], index: number): readonly ContextItem[] {
  const results: ContextItem[] = [];
  for (let at = index + 1; items[at]?.message.role === 'tool'; at += 1) {
    const item = items[at];
    if (item !== undefined) results.push(item);
  }
  return results;
}

/** The answered calls of a reply whose results can be written: text is no answer to a call for a screenshot. */
export function answerable(item: ContextItem, reply: FinalReply, results: readonly ContextItem[]): readonly string[] {
  const special = new Map(
    reply.items
      .map((candidate) => candidate.item)
      .filter((call) => needsAnswer(call) && !isFunctionCall(call))
      .map((call) => [pairingId(call) ?? '', call]),
  );
  if (special.size === 0) return item.answeredCalls;
  return item.answeredCalls.filter((id) => {
    const call = special.get(id);
    const result = results.find(({ message }) => message.role === 'tool' && message.tool_call_id === id);
    return call === undefined || result === undefined || outputItem(result, id, call) !== null;
  });
}

/**
 * The calls of the provider's own items that a request holds so far: the form of a result depends on its call, and a
 * call that is not sent takes its result with it.
 */
export class SentCalls {
  /** Programs that are not sent. */
  readonly lostPrograms = new Set<string>();
  readonly #sent = new Map<string, WireItem>();
  readonly #unsent = new Set<string>();

  /** Remembers what a reply became. `reply` is absent for items that were not made from the provider's own. */
  add(reply: FinalReply | undefined, items: readonly WireItem[], callIds: CallIds): void {
    const sent = new Map(items.filter(needsAnswer).map((call) => [pairingId(call) ?? '', call]));
    for (const { item } of reply?.items ?? []) {
      const id = pairingId(item) ?? '';
      if (needsAnswer(item) && !sent.has(callIds.get(id) ?? id)) this.#unsent.add(callIds.get(id) ?? id);
    }
    for (const [id, call] of sent) {
      this.#sent.set(id, call);
      this.#unsent.delete(id);
    }
  }

  result(item: ContextItem, callIds: CallIds): RenderedItems {
    const { id, call } = this.#callOf(item, callIds);
    // Nobody answers for a tool that is still running: an asynchronous call stays open.
    const isInvented = item.synthetic && call !== undefined && isAsync(call);
    return isInvented || this.#unsent.has(id) ? { items: [], notes: [] } : resultItems(item, callIds, call);
  }

  /** What the bytes of an item depend on beside the item itself; nothing, in nearly all cases. */
  mannerOf(item: ContextItem, reply: FinalReply | undefined, callIds: CallIds): string {
    if (item.message.role === 'tool') return mannerOfOutput(this.#callOf(item, callIds).call);
    if (reply === undefined || this.lostPrograms.size === 0) return '';
    const lost = reply.items.some(({ item: wire }) => this.lostPrograms.has(programIn(wire) ?? ''));
    return lost ? '|without program' : '';
  }

  #callOf({ message }: ContextItem, callIds: CallIds): { readonly id: string; readonly call: WireItem | undefined } {
    const original = message.role === 'tool' ? message.tool_call_id : '';
    const id = callIds.get(original) ?? original;
    return { id, call: this.#sent.get(id) };
  }
}

function programIn(item: WireItem): string | undefined {
  return isProgramOutput(item) ? stringOf(item['call_id']) : programOf(item);
}
