import type { RawEvent, StreamEvent } from '@bough/core';
import { isPlainObject, sha256 } from '@bough/core';
import type { ResponseFold, StreamOutcome } from '../../../protocol.ts';
import { DeltaTemplate } from '../../../framing/delta-template.ts';
import { streamError } from '../errors.ts';
import { CallIds } from './call-ids.ts';
import type { Chunk } from './chunk.ts';
import { readChunks } from './chunk.ts';
import type { Ending } from './finish.ts';
import { blockedPrompt, BROKEN_OFF, endingOf, UNREADABLE } from './finish.ts';
import { usageOf } from './usage.ts';

type Json = Readonly<Record<string, unknown>>;

/** The counters that accompany a text. */
const COUNTERS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
];

/**
 * Gemini sends parts, not blocks: a longer text comes as part after part. Neighbouring parts of the same kind are one
 * block, until a signature closes it: a signature belongs to its own part and to nothing that follows.
 */
export class GeminiFold implements ResponseFold {
  #next = 0;
  /** The block that the next part of its kind may continue. */
  #open: { readonly kind: 'text' | 'thinking'; readonly index: number } | null = null;
  #callIds: CallIds | null = null;
  #hasCalls = false;
  #started = false;
  #usage: Record<string, unknown> = {};
  #seenExtras = new Set<string>();
  /** Null while something is still to come: code execution sends a finish reason before its results. */
  #finishReason: string | null = null;
  #runsCode = false;
  #canContinue = false;
  #failure: Ending | null = null;
  #ended = false;
  readonly #template = new DeltaTemplate(COUNTERS);
  #streaming: 'text' | 'thinking' = 'text';
  /**
   * The newest event that the template recognised. Its counters include those of all earlier ones, so only they are
   * read, once.
   */
  #uncounted: string | null = null;

  push(event: RawEvent): readonly StreamEvent[] {
    // What follows an error is kept in raw, but is no longer part of the reply.
    if (this.#ended || this.#failure !== null) return [];
    const text = this.#template.match(event.data);
    if (text !== null) {
      const events: StreamEvent[] = [];
      this.#finishReason = null;
      this.#text(this.#streaming, text, null, events);
      this.#uncounted = event.data;
      return events;
    }
    const events = this.#count();
    const chunks = readChunks(event.data);
    if (chunks === null) {
      this.#failure = UNREADABLE;
      return events;
    }
    for (const chunk of chunks) if (this.#failure === null) this.#chunk(chunk, event.data, events);
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) this.#learn(event.data, only);
    return events;
  }

  end(outcome: StreamOutcome): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    const { stop, error } = this.#ending(outcome);
    const events = this.#count();
    if (error !== undefined) events.push({ type: 'error', error });
    events.push({ type: 'stop', reason: stop });
    return events;
  }

  /** A chunk that contains only a piece of text is like those that follow it. */
  #learn(data: string, { parts, extras, finishReason, continuationToken, blockReason, error }: Chunk): void {
    const [part, ...others] = parts;
    const more = others.length === 0 ? undefined : others;
    const says = [more, extras[0], finishReason, continuationToken, blockReason, error];
    if (part === undefined || says.some((thing) => thing !== undefined)) return;
    const { text, thought, ...rest } = part;
    if (typeof text !== 'string' || Object.keys(rest).length > 0) return;
    if (this.#template.learn(data, text)) this.#streaming = thought === true ? 'thinking' : 'text';
  }

  #count(): StreamEvent[] {
    const [chunk] = this.#uncounted === null ? [] : (readChunks(this.#uncounted) ?? []);
    this.#uncounted = null;
    return chunk?.usage === undefined ? [] : [this.#usageEvent(chunk.usage)];
  }

  #usageEvent(usage: Json): StreamEvent {
    Object.assign(this.#usage, usage);
    return { type: 'usage', usage: usageOf(this.#usage) };
  }

  #ending(outcome: StreamOutcome): Ending {
    if (this.#failure !== null) return this.#failure;
    // A connection that breaks after the finish reason took nothing away, unless code is still running.
    if (this.#finishReason !== null && (outcome.type === 'closed' || !this.#runsCode))
      return endingOf(this.#finishReason, this.#hasCalls, this.#canContinue);
    switch (outcome.type) {
      case 'aborted':
        return { stop: 'interrupted' };
      case 'failed':
        return { stop: 'error', error: outcome.error };
      case 'closed':
        return BROKEN_OFF;
    }
  }

  #chunk(chunk: Chunk, data: string, events: StreamEvent[]): void {
    if (!this.#started) events.push(...this.#start(chunk));
    this.#callIds ??= new CallIds(chunk.responseId ?? sha256(data));
    for (const part of chunk.parts) this.#part(part, events);
    for (const { name, value } of chunk.extras) events.push(...this.#extra(name, value));
    if (chunk.usage !== undefined) events.push(this.#usageEvent(chunk.usage));
    if (chunk.parts.length > 0) this.#finishReason = null;
    if (chunk.finishReason !== undefined) this.#finishReason = chunk.finishReason;
    if (chunk.continuationToken !== undefined) this.#canContinue = true;
    if (chunk.blockReason !== undefined) this.#failure = blockedPrompt(chunk.blockReason);
    if (chunk.error !== undefined) this.#failure = { stop: 'error', error: streamError(chunk.error) };
  }

  #start({ responseId, modelVersion }: Chunk): StreamEvent[] {
    if (responseId === undefined && modelVersion === undefined) return [];
    this.#started = true;
    return [
      {
        type: 'start',
        ...(responseId !== undefined && { responseId }),
        ...(modelVersion !== undefined && { model: modelVersion }),
      },
    ];
  }

  #part(part: Json, events: StreamEvent[]): void {
    const { text, thoughtSignature, functionCall } = part;
    if ('executableCode' in part) this.#runsCode = true;
    if ('codeExecutionResult' in part) this.#runsCode = false;
    const signature = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : null;
    if (isPlainObject(functionCall) && typeof functionCall['name'] === 'string') {
      events.push(...this.#call(functionCall, functionCall['name'], signature));
    } else if (typeof text === 'string') {
      this.#text(part['thought'] === true ? 'thinking' : 'text', text, signature, events);
    } else events.push(...this.#other(part, signature));
  }

  #text(kind: 'text' | 'thinking', text: string, signature: string | null, events: StreamEvent[]): void {
    if (text === '' && signature === null) return;
    // The signature of a thought covers the thought; that of a text covers only its own part, which is then a separate
    // block.
    const continues = this.#open?.kind === kind && (signature === null || kind === 'thinking') ? this.#open : null;
    const index = continues?.index ?? this.#next++;
    if (text !== '') events.push({ type: kind, index, text });
    if (signature !== null) events.push({ type: 'signature', index, signature });
    this.#open = signature !== null ? null : (continues ?? { kind, index });
  }

  #call(call: Json, name: string, signature: string | null): StreamEvent[] {
    const index = this.#next++;
    const id = this.#callIds?.next(call['id']) ?? '';
    const parameters = isPlainObject(call['args']) ? call['args'] : {};
    this.#hasCalls = true;
    this.#open = null;
    const events: StreamEvent[] = [
      { type: 'tool_call_start', index, id, name },
      { type: 'tool_call', index, id, name, parameters },
    ];
    if (signature !== null) events.push({ type: 'signature', index, signature });
    return events;
  }

  #other(part: Json, signature: string | null): StreamEvent[] {
    const { thoughtSignature: _, thought, ...payload } = part;
    const [name] = Object.keys(payload);
    this.#open = null;
    const events: StreamEvent[] = [];
    if (name !== undefined) {
      const block = { type: `gemini:${name}`, part: thought === true ? { ...payload, thought } : payload };
      events.push({ type: 'block', index: this.#next++, block });
    }
    if (signature !== null) events.push({ type: 'signature', index: this.#next++, signature });
    return events;
  }

  /** Sources are sent again with every later chunk: equal ones are one block. */
  #extra(name: string, value: unknown): StreamEvent[] {
    const key = `${name}:${JSON.stringify(value)}`;
    if (this.#seenExtras.has(key)) return [];
    this.#seenExtras.add(key);
    this.#open = null;
    return [{ type: 'block', index: this.#next++, block: { type: `gemini:${name}`, data: value } }];
  }
}
