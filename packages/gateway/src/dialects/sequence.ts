import type { StreamError, StreamEvent, Usage } from '@bough/core';
import { GrowingText, mergeUsage } from '@bough/core';
import type { Ending } from './writer.ts';

/** One step of a reply in which every block is finished before the next one begins. */
export type Step =
  | { readonly type: 'open'; readonly block: OpenBlock }
  | { readonly type: 'grow'; readonly block: OpenBlock; readonly text: string }
  | { readonly type: 'close'; readonly block: OpenBlock; readonly text: string; readonly whole: boolean }
  | { readonly type: 'end'; readonly ending: Ending };

export type OpenBlock =
  | { readonly kind: 'text' | 'thinking' | 'refusal' }
  /** Its text is the JSON of its arguments. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string };

type ContentEvent = Exclude<StreamEvent, { type: 'start' | 'usage' | 'error' | 'stop' }>;

interface Current {
  readonly index: number;
  readonly block: OpenBlock;
  readonly text: GrowingText;
}

/**
 * Puts neutral events in the order in which clients take them. Providers open several calls at once and go on with the
 * first; a client that gets one block after the other loses nothing by waiting for the second.
 */
export class Sequence {
  #current: Current | null = null;
  /** Events of later blocks, while a call is not finished. */
  #waiting: ContentEvent[] = [];
  /** Blocks that have content of their own: their signatures are not thoughts. */
  readonly #seen = new Set<number>();
  #usage: Usage = {};
  #error: StreamError | null = null;
  #hasCalls = false;
  #ended = false;

  push(event: StreamEvent): readonly Step[] {
    if (this.#ended) return [];
    switch (event.type) {
      case 'start':
        return [];
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return [];
      case 'error':
        // What a person stopped is no failure.
        if (event.error.code !== 'aborted') this.#error = event.error;
        return [];
      case 'stop': {
        const steps = [...this.#close(false)];
        // What waited for a call that broke off comes now, one block after the other.
        while (this.#waiting.length > 0) steps.push(...this.#resume(), ...this.#close(false));
        this.#ended = true;
        const { reason } = event;
        const ending = { reason, usage: this.#usage, error: this.#error, hasCalls: this.#hasCalls };
        return [...steps, { type: 'end', ending }];
      }
      default:
        if (this.#current?.block.kind === 'call' && this.#current.index !== event.index) {
          this.#waiting.push(event);
          return [];
        }
        return this.#take(event);
    }
  }

  #take(event: ContentEvent): readonly Step[] {
    const { index } = event;
    switch (event.type) {
      case 'text':
        return event.text === '' ? [] : this.#grow(index, 'text', event.text);
      case 'thinking':
        return this.#grow(index, 'thinking', event.text);
      case 'redacted_thinking':
        return this.#grow(index, 'thinking', '');
      case 'signature':
        // What only the provider can read is still a thought. A signature on a text or a call is no thought of its own.
        return this.#seen.has(index) ? [] : this.#grow(index, 'thinking', '');
      case 'block':
        return event.block.type === 'refusal' ? this.#refusal(index, event.block) : [];
      case 'tool_call_start':
        return this.#open(index, { kind: 'call', id: event.id, name: event.name });
      case 'tool_call_delta':
        return this.#current?.index === index ? this.#add(event.json) : [];
      case 'tool_call': {
        const opened = this.#current?.index === index ? [] : this.#open(index, { kind: 'call', ...named(event) });
        const written = this.#current?.text.toString() === '' ? this.#add(JSON.stringify(event.parameters)) : [];
        this.#hasCalls = true;
        return [...opened, ...written, ...this.#close(true), ...this.#resume()];
      }
    }
  }

  #refusal(index: number, block: { readonly type: string }): readonly Step[] {
    const { refusal } = block as { readonly refusal?: unknown };
    return typeof refusal === 'string' && refusal !== '' ? this.#grow(index, 'refusal', refusal) : [];
  }

  #grow(index: number, kind: 'text' | 'thinking' | 'refusal', text: string): readonly Step[] {
    const opened =
      this.#current?.index === index && this.#current.block.kind === kind ? [] : this.#open(index, { kind });
    return text === '' ? opened : [...opened, ...this.#add(text)];
  }

  #open(index: number, block: OpenBlock): readonly Step[] {
    const closed = this.#close(true);
    this.#seen.add(index);
    this.#current = { index, block, text: new GrowingText('') };
    return [...closed, { type: 'open', block }];
  }

  #add(text: string): readonly Step[] {
    if (this.#current === null || text === '') return [];
    this.#current.text.add(text);
    return [{ type: 'grow', block: this.#current.block, text }];
  }

  /** `whole` is false for a call whose arguments broke off. */
  #close(whole: boolean): readonly Step[] {
    if (this.#current === null) return [];
    const { block, text } = this.#current;
    this.#current = null;
    return [{ type: 'close', block, text: text.toString(), whole: whole || block.kind !== 'call' }];
  }

  /** The events that waited, up to the next call that is not finished. */
  #resume(): readonly Step[] {
    const steps: Step[] = [];
    const waiting = this.#waiting.splice(0);
    for (const event of waiting) steps.push(...this.push(event));
    return steps;
  }
}

const named = ({ id, name }: { readonly id: string; readonly name: string }): { id: string; name: string } => ({
  id,
  name,
});
