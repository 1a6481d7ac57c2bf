import type { RawEvent, StopReason, StreamError, StreamEvent } from '@bough/core';
import type { ResponseFold, StreamOutcome } from '../../../protocol.ts';
import { CUT_SHORT, NOT_JSON } from '../../../errors/index.ts';
import { finishError, streamErrorOf } from '../errors.ts';
import type { AssembledCall } from './calls.ts';
import { CallAssembly, googleSignature, parseArguments } from './calls.ts';
import type { Chunk } from './chunk.ts';
import { ChunkReader } from './chunk.ts';
import { DetailsMerge } from './details.ts';
import { Ending } from './ending.ts';
import { Extras } from './extras.ts';
import type { Json } from './json.ts';
import { stringAt } from './json.ts';
import type { Piece } from './pieces.ts';
import { stopReason } from './stop.ts';
import type { TaggedText } from './think-tags.ts';
import { ThinkTags } from './think-tags.ts';
import { usageOfChunk } from './usage.ts';

/**
 * Chunks in, neutral events out. It knows no vendor: whatever field reasoning comes in, the same events come out, so
 * that a stored reply always reads the same, even if its deployment's quirks change.
 */
export class ChatFold implements ResponseFold {
  #events: StreamEvent[] = [];
  #started = false;
  #next = 0;
  /** The block that plain deltas continue. Anything else that opens a block closes it. */
  #open: { readonly kind: 'text' | 'thinking'; readonly index: number } | null = null;
  readonly #reader = new ChunkReader();
  readonly #tags = new ThinkTags();
  readonly #calls = new CallAssembly();
  readonly #callBlocks: { index: number; started: boolean }[] = [];
  readonly #details = new DetailsMerge();
  readonly #detailBlocks: number[] = [];
  readonly #signedDetails = new Set<number>();
  readonly #extras = new Extras();
  readonly #ending = new Ending();
  #error: StreamError | null = null;

  push(event: RawEvent): readonly StreamEvent[] {
    if (!this.#ending.done) this.#chunk(this.#reader.read(event.data));
    return this.#drain();
  }

  end(outcome: StreamOutcome): readonly StreamEvent[] {
    this.#tagged(this.#tags.flush());
    const complete = this.#ending.isComplete(outcome.type, this.#calls.calls.length > 0);
    for (const call of this.#calls.calls) this.#closeCall(call, complete);
    for (const { index, block } of this.#extras.blocks(() => this.#openBlock()))
      this.#emit({ type: 'block', index, block });
    this.#stop(outcome, complete);
    return this.#drain();
  }

  #chunk(chunk: Chunk): void {
    this.#ending.take(chunk);
    switch (chunk.type) {
      case 'done':
        return;
      case 'unreadable':
        this.#error ??= NOT_JSON;
        return;
      case 'chunk': {
        this.#start(chunk.id, chunk.model);
        for (const piece of chunk.pieces) this.#piece(piece);
        const usage = usageOfChunk(chunk.json, chunk.choice);
        if (usage) this.#emit({ type: 'usage', usage });
        if (chunk.error) this.#error ??= streamErrorOf(chunk.error);
      }
    }
  }

  /**
   * Azure and Copilot open with a chunk that has neither id nor content: the start event waits for the one that does.
   */
  #start(id: string, model: string): void {
    if (this.#started || (id === '' && model === '')) return;
    this.#started = true;
    this.#calls.setResponseId(id);
    this.#emit({ type: 'start', ...(id !== '' && { responseId: id }), ...(model !== '' && { model }) });
  }

  #piece(piece: Piece): void {
    switch (piece.kind) {
      case 'reasoning':
        // A server with a field for reasoning uses no tags: `<think>` in its text is text.
        this.#tagged(this.#tags.disable());
        return this.#plain('thinking', piece.text);
      case 'detail':
        this.#tagged(this.#tags.disable());
        return this.#detail(piece.entry);
      case 'content':
        return this.#tagged(this.#tags.push(piece.text));
      case 'thinking_chunk':
        this.#tagged(this.#tags.disable());
        if (piece.text !== '') this.#plain('thinking', piece.text);
        if (piece.signature !== null) this.#chunkSignature(piece.signature);
        return;
      case 'text_chunk':
        this.#tagged(this.#tags.disable());
        return this.#plain('text', piece.text);
      case 'call':
        this.#tagged(this.#tags.flush());
        return this.#call(piece.delta);
      case 'extra':
        return this.#extras.push(piece.key, piece.value, piece.whole ?? false, () => this.#openBlock());
    }
  }

  #tagged(parts: readonly TaggedText[]): void {
    for (const part of parts) this.#plain(part.kind, part.text);
  }

  #plain(kind: 'text' | 'thinking', text: string): void {
    if (this.#open?.kind !== kind) this.#open = { kind, index: this.#openBlock() };
    this.#emit({ type: kind, index: this.#open.index, text });
  }

  #chunkSignature(signature: string): void {
    const index = this.#open?.kind === 'thinking' ? this.#open.index : this.#openBlock();
    this.#open = null;
    this.#emit({ type: 'signature', index, signature });
  }

  #detail(fragment: Json): void {
    const { position, entry, opened } = this.#details.push(fragment);
    if (opened) this.#detailBlocks[position] = this.#openBlock();
    const index = this.#detailBlocks[position] ?? 0;
    switch (stringAt(fragment, 'type')) {
      case 'reasoning.text':
      case 'reasoning.summary': {
        const text = stringAt(fragment, 'text') ?? stringAt(fragment, 'summary') ?? '';
        if (text !== '') this.#emit({ type: 'thinking', index, text });
        const signature = stringAt(fragment, 'signature');
        if (signature === null || signature === '' || this.#signedDetails.has(position)) return;
        this.#signedDetails.add(position);
        return this.#emit({ type: 'signature', index, signature });
      }
      case 'reasoning.encrypted':
        return this.#emit({ type: 'redacted_thinking', index, data: stringAt(entry, 'data') ?? '' });
      default:
        return this.#emit({ type: 'block', index, block: { type: 'reasoning_detail', ...entry } });
    }
  }

  #call(delta: Json): void {
    const { call, json } = this.#calls.push(delta);
    const block = (this.#callBlocks[call.position] ??= { index: this.#openBlock(), started: false });
    if (!block.started && call.name !== '') {
      block.started = true;
      this.#emit({ type: 'tool_call_start', index: block.index, id: call.id, name: call.name });
      if (call.arguments !== '') this.#emit({ type: 'tool_call_delta', index: block.index, json: call.arguments });
    } else if (block.started && json !== '') {
      this.#emit({ type: 'tool_call_delta', index: block.index, json });
    }
  }

  #closeCall(call: AssembledCall, complete: boolean): void {
    const block = this.#callBlocks[call.position];
    if (block === undefined) return;
    const { index } = block;
    const { id, name } = call;
    if (!block.started) {
      this.#emit({ type: 'tool_call_start', index, id, name });
      if (call.arguments !== '') this.#emit({ type: 'tool_call_delta', index, json: call.arguments });
    }
    const parameters = parseArguments(call.arguments);
    if (parameters !== null && this.#calls.isWhole(call, complete)) {
      this.#emit({ type: 'tool_call', index, id, name, parameters });
    }
    const signature = googleSignature(call.extraContent);
    if (signature !== null) this.#emit({ type: 'signature', index, signature });
  }

  #stop(outcome: StreamOutcome, complete: boolean): void {
    const error = this.#error ?? failureOf(outcome, complete) ?? finishError(this.#ending.finish);
    if (error) this.#emit({ type: 'error', error });
    this.#emit({ type: 'stop', reason: this.#reason(outcome, complete, error) });
  }

  #reason(outcome: StreamOutcome, complete: boolean, error: StreamError | null): StopReason {
    if (error) return 'error';
    if (!complete) return outcome.type === 'aborted' ? 'interrupted' : 'error';
    return stopReason(this.#ending.finish, {
      calls: this.#calls.calls.length > 0,
      refusal: this.#extras.has('refusal'),
    });
  }

  #openBlock(): number {
    this.#open = null;
    this.#next += 1;
    return this.#next - 1;
  }

  #emit(event: StreamEvent): void {
    this.#events.push(event);
  }

  #drain(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** A stream that closed without a finish reason was cut; one that failed after it was already whole. */
function failureOf(outcome: StreamOutcome, complete: boolean): StreamError | null {
  if (complete || outcome.type === 'aborted') return null;
  return outcome.type === 'failed' ? outcome.error : CUT_SHORT;
}

/** A reply that was not streamed: its body is one chunk that holds everything. */
export function foldBody(body: string): readonly StreamEvent[] {
  const fold = new ChatFold();
  return [...fold.push({ data: body }), ...fold.push({ data: '[DONE]' }), ...fold.end({ type: 'closed' })];
}
