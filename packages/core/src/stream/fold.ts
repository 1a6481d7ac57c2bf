import type { ContentBlock } from '../blocks/index.ts';
import type { StopReason, StreamError, StreamEvent } from './events.ts';
import { GrowingText } from './growing-text.ts';
import type { Usage } from './usage.ts';
import { mergeUsage } from './usage.ts';

/** What a reply has become so far. */
export interface FoldedReply {
  readonly blocks: readonly ContentBlock[];
  readonly usage: Usage | null;
  /** Null while the reply is running. */
  readonly stop: StopReason | null;
  readonly error: StreamError | null;
  readonly responseId: string | null;
  readonly model: string | null;
}

/** One block under construction. Nothing is parsed or copied per delta. */
type Slot =
  | { kind: 'text'; text: GrowingText; signature: string | null }
  | { kind: 'thinking'; text: GrowingText; signature: string | null }
  | { kind: 'signature'; signature: string }
  | { kind: 'call'; id: string; name: string; json: string; whole: ContentBlock | null; signature: string | null }
  | { kind: 'block'; block: ContentBlock };

/**
 * Folds a reply's events into blocks, in the order in which the provider opened them. Used for the live stream and for
 * stored raw alike, so that both always give the same result.
 */
export class ReplyFold {
  readonly #slots = new Map<number, Slot>();
  #usage: Usage | null = null;
  #stop: StopReason | null = null;
  #error: StreamError | null = null;
  #responseId: string | null = null;
  #model: string | null = null;

  push(event: StreamEvent): void {
    switch (event.type) {
      case 'start':
        this.#responseId = event.responseId ?? this.#responseId;
        this.#model = event.model ?? this.#model;
        return;
      case 'text':
        return this.#text(event.index, event.text);
      case 'thinking':
        return this.#thinking(event.index, event.text);
      case 'signature':
        return this.#signature(event.index, event.signature);
      case 'redacted_thinking':
        this.#slots.set(event.index, { kind: 'block', block: { type: 'redacted_thinking', data: event.data } });
        return;
      case 'tool_call_start':
        this.#slots.set(event.index, {
          kind: 'call',
          id: event.id,
          name: event.name,
          json: '',
          whole: null,
          signature: null,
        });
        return;
      case 'tool_call_delta': {
        const slot = this.#slots.get(event.index);
        if (slot?.kind === 'call') slot.json += event.json;
        return;
      }
      case 'tool_call': {
        const { index, id, name, parameters } = event;
        const whole = { type: 'tool-use', id, name, parameters };
        const before = this.#slots.get(index);
        const signature =
          before?.kind === 'call' ? before.signature : before?.kind === 'signature' ? before.signature : null;
        this.#slots.set(index, { kind: 'call', id, name, json: '', whole, signature });
        return;
      }
      case 'block':
        this.#slots.set(event.index, { kind: 'block', block: event.block });
        return;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'error':
        this.#error = event.error;
        return;
      case 'stop':
        this.#stop ??= event.reason;
    }
  }

  result(): FoldedReply {
    return {
      blocks: this.blocks(),
      usage: this.#usage,
      stop: this.#stop,
      error: this.#error,
      responseId: this.#responseId,
      model: this.#model,
    };
  }

  blocks(): readonly ContentBlock[] {
    const order = [...this.#slots.keys()].sort((a, b) => a - b);
    return order.flatMap((index) => {
      const slot = this.#slots.get(index);
      return slot === undefined ? [] : blocksOf(slot);
    });
  }

  #text(index: number, text: string): void {
    const slot = this.#slots.get(index);
    if (slot?.kind === 'text') slot.text.add(text);
    else this.#slots.set(index, { kind: 'text', text: new GrowingText(text), signature: signatureOf(slot) });
  }

  #thinking(index: number, text: string): void {
    const slot = this.#slots.get(index);
    if (slot?.kind === 'thinking') slot.text.add(text);
    else this.#slots.set(index, { kind: 'thinking', text: new GrowingText(text), signature: signatureOf(slot) });
  }

  #signature(index: number, signature: string): void {
    const slot = this.#slots.get(index);
    if (slot === undefined) this.#slots.set(index, { kind: 'signature', signature });
    else if (slot.kind === 'signature') slot.signature += signature;
    else if (slot.kind !== 'block') slot.signature = (slot.signature ?? '') + signature;
  }
}

export function foldToBlocks(events: Iterable<StreamEvent>): readonly ContentBlock[] {
  const fold = new ReplyFold();
  for (const event of events) fold.push(event);
  return fold.blocks();
}

function blocksOf(slot: Slot): ContentBlock[] {
  switch (slot.kind) {
    case 'thinking':
      return [
        slot.signature === null
          ? { type: 'thinking', thinking: slot.text.toString() }
          : { type: 'thinking', thinking: slot.text.toString(), signature: slot.signature },
      ];
    case 'text':
      return [{ type: 'text', text: slot.text.toString() }, ...signatureBlock(slot.signature)];
    case 'call':
      // A call that broke off is kept, under a name that nothing executes or replays.
      return [
        slot.whole ?? { type: 'incomplete_tool_use', id: slot.id, name: slot.name, json: slot.json },
        ...signatureBlock(slot.signature),
      ];
    case 'signature':
      return signatureBlock(slot.signature);
    case 'block':
      return [slot.block];
  }
}

/** A signature may come before the text that it belongs to. */
function signatureOf(slot: Slot | undefined): string | null {
  return slot?.kind === 'signature' ? slot.signature : null;
}

function signatureBlock(signature: string | null): ContentBlock[] {
  return signature === null ? [] : [{ type: 'thinking_signature', signature }];
}
