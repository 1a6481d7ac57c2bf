import type { ContentBlock, StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { listOf, objectsOf, stringOf, typeOf } from '../wire.ts';
import { missing, wholeBlock } from './emit.ts';
import type { NextIndex, ItemFold, Part } from './item-fold.ts';

interface Slot {
  readonly index: number;
  text: string;
}

/** Each text part is a separate block; refusals, citations and parts of other kinds are custom blocks, in place. */
export class MessageItem implements ItemFold {
  readonly type = 'message';
  readonly #nextIndex: NextIndex;
  readonly #texts = new Map<number, Slot>();
  readonly #refusals = new Map<number, Slot>();
  #finished = false;

  constructor(nextIndex: NextIndex) {
    this.#nextIndex = nextIndex;
  }

  begin(): readonly StreamEvent[] {
    return [];
  }

  delta(part: Part, text: string): readonly StreamEvent[] {
    if (text === '') return [];
    if (part.of === 'text') {
      const slot = this.#slot(this.#texts, part.index);
      slot.text += text;
      return [{ type: 'text', index: slot.index, text }];
    }
    if (part.of === 'refusal') this.#slot(this.#refusals, part.index).text += text;
    return [];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    const events = objectsOf(item['content']).flatMap((part, index) => this.#finishPart(part, index));
    const phase = stringOf(item['phase']);
    // A message is a final answer by default; any other phase would not be visible in its text.
    if (phase !== undefined && phase !== 'final_answer') events.push(this.#custom({ type: 'message_phase', phase }));
    return events;
  }

  settle(): readonly StreamEvent[] {
    return this.#finished ? [] : [...this.#refusals.values()].map(refusalEvent);
  }

  #finishPart(part: WireItem, at: number): StreamEvent[] {
    switch (typeOf(part)) {
      case 'output_text': {
        const final = stringOf(part['text']) ?? '';
        const annotations = listOf(part['annotations']);
        return [
          ...this.delta({ of: 'text', index: at }, missing(this.#texts.get(at)?.text ?? '', final)),
          ...(annotations.length === 0 ? [] : [this.#custom({ type: 'annotations', annotations })]),
        ];
      }
      case 'refusal': {
        const slot = this.#slot(this.#refusals, at);
        slot.text = stringOf(part['refusal']) ?? slot.text;
        return [refusalEvent(slot)];
      }
      default:
        return [this.#custom(wholeBlock(part))];
    }
  }

  #custom(block: ContentBlock): StreamEvent {
    return { type: 'block', index: this.#nextIndex(), block };
  }

  #slot(slots: Map<number, Slot>, at: number): Slot {
    const slot = slots.get(at) ?? { index: this.#nextIndex(), text: '' };
    slots.set(at, slot);
    return slot;
  }
}

function refusalEvent({ index, text }: Slot): StreamEvent {
  return { type: 'block', index, block: { type: 'refusal', refusal: text } };
}
