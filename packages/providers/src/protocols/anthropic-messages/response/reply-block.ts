import { GrowingText, isPlainObject } from '@bough/core';
import { elementsOf, membersOf, objectText, parseJson } from '../../../render/json-text.ts';

/**
 * One block of a reply under construction. It holds the members as they were written, so that the provider gets back
 * exactly what it wrote, and knows whether all of it arrived.
 */
export class ReplyBlock {
  /** Its position among the blocks, in the order in which the provider opened them. */
  readonly index: number;
  readonly type: string;
  closed = false;
  readonly #members: Map<string, string>;
  readonly #texts = new Map<string, GrowingText>();
  readonly #citations: string[] = [];
  readonly #start: string;
  #input = '';
  #grown = false;

  constructor(index: number, type: string, start: string, members: Map<string, string>) {
    this.index = index;
    this.type = type;
    this.#start = start;
    this.#members = members;
  }

  /** `start` is the JSON text of the block as carried by `content_block_start` or a whole body. */
  static open(index: number, start: string): ReplyBlock {
    const members = membersOf(start) ?? new Map<string, string>();
    const named = parseJson(members.get('type') ?? '');
    const type = typeof named === 'string' && named !== '' ? named : 'unknown';
    // Both keys are required when it is sent back, even if a server leaves the empty one out.
    if (type === 'thinking' && !members.has('thinking')) members.set('thinking', '""');
    return new ReplyBlock(index, type, type === 'thinking' ? objectText(members) : start, members);
  }

  /**
   * Adds a delta. A member that streams as text is kept decoded while it grows and written as JSON once, at the end;
   * the members of other deltas are copied unread from `event`, the JSON text in which they were written.
   */
  grow(delta: Readonly<Record<string, unknown>>, event: string): void {
    this.#grown = true;
    switch (delta['type']) {
      case 'text_delta':
        return this.#appendAny('text', delta['text']);
      case 'thinking_delta':
        return this.#appendAny('thinking', delta['thinking']);
      case 'signature_delta':
        return this.#appendAny('signature', delta['signature']);
      case 'input_json_delta':
        if (typeof delta['partial_json'] === 'string') this.#input += delta['partial_json'];
        return;
    }
    const members = membersOf(membersOf(event)?.get('delta') ?? '{}');
    if (delta['type'] === 'citations_delta') {
      const citation = members?.get('citation');
      if (citation !== undefined) this.#citations.push(citation);
      return;
    }
    for (const [key, value] of members ?? []) if (key !== 'type') this.#assign(key, value);
  }

  /** Adds to a member that streams as text. */
  append(key: string, text: string): void {
    this.#grown = true;
    const grown = this.#texts.get(key);
    if (grown === undefined) this.#texts.set(key, new GrowingText(this.text(key) ?? '', text));
    else grown.add(text);
  }

  /** The decoded text of a member, or null if it is absent or not a string. */
  text(key: string): string | null {
    const grown = this.#texts.get(key);
    if (grown !== undefined) return grown.toString();
    const written = this.#members.get(key);
    // Called for every delta: an absent member must not cost a failed parse.
    if (written === undefined || !written.startsWith('"')) return null;
    const value = parseJson(written);
    return typeof value === 'string' ? value : null;
  }

  /** A member that is not text, or undefined if it is absent. */
  member(key: string): unknown {
    const written = this.#members.get(key);
    return written === undefined ? undefined : parseJson(written);
  }

  /** Each citation as it was written, whether it came with the start or on its own. */
  get citations(): readonly string[] {
    return [...(elementsOf(this.#members.get('citations') ?? '') ?? []), ...this.#citations];
  }

  /**
   * True if the input of a call never arrived in pieces: an empty call, or one that broke off before its first byte.
   */
  get inputIsUnsent(): boolean {
    return this.#input.trim() === '';
  }

  /** The JSON text of a call's input, or null while it is not a whole object. */
  get inputText(): string | null {
    const text = this.inputIsUnsent ? this.#members.get('input') : this.#input.trim();
    return text !== undefined && isPlainObject(parseJson(text)) ? text : null;
  }

  get parameters(): Readonly<Record<string, unknown>> | null {
    const value = parseJson(this.inputText ?? '');
    return isPlainObject(value) ? value : null;
  }

  /** Whether everything that makes up the block has arrived. */
  get whole(): boolean {
    if (this.type === 'text') return true;
    if (this.type === 'thinking') return (this.text('signature') ?? '') !== '';
    if (this.type === 'redacted_thinking') return (this.text('data') ?? '') !== '';
    return this.closed && (this.inputIsUnsent || this.inputText !== null);
  }

  /** The block as JSON text, in the provider's spelling. `id` replaces the id of a call; `without` leaves one out. */
  json({ id, without }: { readonly id?: string; readonly without?: string } = {}): string {
    if (!this.#grown && id === undefined && without === undefined) return this.#start;
    const members = new Map(this.#members);
    for (const [key, text] of this.#texts) members.set(key, JSON.stringify(text.toString()));
    if (this.#citations.length > 0) members.set('citations', `[${this.citations.join(',')}]`);
    if (!this.inputIsUnsent) {
      if (this.inputText === null) members.set('partial_json', JSON.stringify(this.#input));
      else members.set('input', this.inputText);
    }
    if (id !== undefined) members.set('id', JSON.stringify(id));
    if (without !== undefined) members.delete(without);
    return objectText(members);
  }

  #appendAny(key: string, text: unknown): void {
    if (typeof text === 'string') this.append(key, text);
  }

  /** A compaction delta carries final values; a delta of an unknown kind may carry pieces of a text. */
  #assign(key: string, value: string): void {
    const addition = parseJson(value);
    const before = this.text(key);
    if (typeof addition === 'string' && before !== null && before !== '') this.append(key, addition);
    else {
      this.#texts.delete(key);
      this.#members.set(key, value);
    }
  }
}
