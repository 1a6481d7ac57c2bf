import type { RawEvent, StopReason, StreamError, StreamEvent } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { CUT_SHORT, NOT_JSON } from '../../../errors/index.ts';
import type { ResponseFold, StreamOutcome } from '../../../protocol.ts';
import { DeltaTemplate } from '../../../framing/delta-template.ts';
import { saysNothing } from '../../../framing/idle-data.ts';
import { customBlock, growth, isCall, isRedacted, opening, wholeCall } from './block-events.ts';
import { readError } from '../errors.ts';
import { elementsOf, membersOf, parseJson } from '../../../render/json-text.ts';
import { ReplyBlock } from './reply-block.ts';
import type { Counters } from './usage.ts';
import { cacheToldIn, mergeCounters, usageOf } from './usage.ts';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause',
  refusal: 'refusal',
  compaction: 'end_turn',
  model_context_window_exceeded: 'context_exceeded',
};

/**
 * Stops that may have cut the last block: a call without input then broke off before its input, rather than having
 * none.
 */
const CUTTING: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded']);

type Payload = Readonly<Record<string, unknown>>;

const NONE: readonly StreamEvent[] = [];

/**
 * Folds one reply. Besides the neutral events it keeps the blocks in the provider's own spelling, to send them back.
 */
export class ClaudeFold implements ResponseFold {
  readonly #blocks: ReplyBlock[] = [];
  readonly #byWireIndex = new Map<number, ReplyBlock>();
  #nextIndex = 0;
  #counters: Counters = {};
  #stopReason: string | null = null;
  #container: string | null = null;
  #undecidedCall: ReplyBlock | null = null;
  #toldDetails = false;
  #ended = false;
  readonly #template = new DeltaTemplate();
  /** The block that events recognised by the template continue. */
  #streaming: ReplyBlock | null = null;

  get blocks(): readonly ReplyBlock[] {
    return this.#blocks;
  }

  /** The provider's own word for why the reply ended, or null if it has not. */
  get stopReason(): string | null {
    return this.#stopReason;
  }

  /** The container in which the provider ran code for this reply; a request that continues it names it again. */
  get container(): string | null {
    return this.#container;
  }

  push(event: RawEvent): readonly StreamEvent[] {
    if (this.#ended) return NONE;
    const text = this.#template.match(event.data);
    if (text !== null && this.#streaming !== null) return this.#continue(this.#streaming, text);
    this.#streaming = null;
    if (saysNothing(event.data)) return NONE;
    const payload = parseJson(event.data);
    if (payload === undefined) return this.#break(NOT_JSON);
    if (!isPlainObject(payload)) return [];
    const type = typeof payload['type'] === 'string' ? payload['type'] : (event.event ?? '');
    return this.#handle(type, payload, event.data);
  }

  end(outcome: StreamOutcome): readonly StreamEvent[] {
    if (this.#ended) return [];
    switch (outcome.type) {
      case 'aborted':
        return this.#finish('interrupted', []);
      case 'failed':
        return this.#finish('error', [{ type: 'error', error: outcome.error }]);
      case 'closed':
        if (this.#stopReason !== null) return this.#complete();
        return this.#break(CUT_SHORT);
    }
  }

  #handle(type: string, payload: Payload, json: string): readonly StreamEvent[] {
    switch (type) {
      case 'message_start':
        return this.#messageStart(payload, json);
      case 'content_block_start':
        return this.#open(wireIndex(payload), membersOf(json)?.get('content_block') ?? '{}');
      case 'content_block_delta':
        return isPlainObject(payload['delta']) ? this.#delta(payload, payload['delta'], json) : NONE;
      case 'content_block_stop': {
        const block = this.#byWireIndex.get(wireIndex(payload));
        return block === undefined ? [] : this.#close(block);
      }
      case 'message_delta':
        return this.#messageDelta(payload);
      case 'message_stop':
        return this.#complete();
      case 'error':
        return this.#finish('error', [{ type: 'error', error: readError(0, json) }]);
      default:
        // Pings, and events that are not known yet: raw keeps them.
        return [];
    }
  }

  #messageStart(payload: Payload, json: string): StreamEvent[] {
    const message = isPlainObject(payload['message']) ? payload['message'] : {};
    const { id, model } = message;
    this.#containerIn(message);
    const events: StreamEvent[] = [
      {
        type: 'start',
        ...(typeof id === 'string' && { responseId: id }),
        ...(typeof model === 'string' && { model }),
      },
      ...this.#usage(message['usage']),
      ...toldOf(message),
    ];
    // Empty in every stream of the provider itself; a gateway that does not stream puts the whole reply here.
    const whole = membersOf(membersOf(json)?.get('message') ?? '')?.get('content');
    for (const block of elementsOf(whole ?? '') ?? []) events.push(...this.#open(this.#blocks.length, block));
    return events;
  }

  #messageDelta(payload: Payload): StreamEvent[] {
    const delta = isPlainObject(payload['delta']) ? payload['delta'] : {};
    const events: StreamEvent[] = [];
    this.#containerIn(delta);
    if (typeof delta['stop_reason'] === 'string') {
      this.#stopReason = delta['stop_reason'];
      if (!CUTTING.has(this.#stopReason)) events.push(...this.#decideCall());
      this.#undecidedCall = null;
    }
    if (isPlainObject(delta['stop_details']) && !this.#toldDetails) {
      this.#toldDetails = true;
      const { type, ...details } = delta['stop_details'];
      const block = { ...details, type: typeof type === 'string' && type !== '' ? type : 'stop_details' };
      events.push({ type: 'block', index: this.#nextIndex++, block });
    }
    return [...events, ...this.#usage(payload['usage'])];
  }

  #containerIn({ container }: Payload): void {
    if (isPlainObject(container) && typeof container['id'] === 'string') this.#container = container['id'];
  }

  #open(index: number, start: string): StreamEvent[] {
    const before = this.#decideCall();
    const block = ReplyBlock.open(this.#nextIndex++, start);
    this.#blocks.push(block);
    this.#byWireIndex.set(index, block);
    return [...before, ...opening(block)];
  }

  #delta(payload: Payload, delta: Payload, json: string): readonly StreamEvent[] {
    const index = wireIndex(payload);
    const events = this.#grow(index, delta, json);
    const [event, ...others] = events;
    // An event whose type is given only by its name cannot be recognised by its data.
    if (others.length > 0 || typeof payload['type'] !== 'string') return events;
    if (event?.type === 'text' || event?.type === 'thinking') {
      this.#streaming = this.#template.learn(json, event.text) ? (this.#byWireIndex.get(index) ?? null) : null;
    }
    return events;
  }

  #grow(index: number, delta: Payload, json: string): readonly StreamEvent[] {
    const open = this.#byWireIndex.get(index);
    if (open === undefined) return [...this.#open(index, startFor(delta)), ...this.#grow(index, delta, json)];
    if (open.closed) return NONE;
    const wasEmpty = delta['type'] === 'signature_delta' && (open.text('thinking') ?? '') === '';
    open.grow(delta, json);
    return growth(open, delta, wasEmpty);
  }

  #continue(block: ReplyBlock, text: string): readonly StreamEvent[] {
    if (block.closed) return NONE;
    const type = block.type === 'thinking' ? 'thinking' : 'text';
    block.append(type, text);
    return [{ type, index: block.index, text }];
  }

  #close(block: ReplyBlock): StreamEvent[] {
    if (block.closed) return [];
    block.closed = true;
    if (isCall(block)) {
      if (block.inputIsUnsent) {
        this.#undecidedCall = block;
        return [];
      }
      return wholeCall(block);
    }
    return this.#rest(block);
  }

  /** What a block emits only once, at its end: citations follow their text, other types come whole. */
  #rest(block: ReplyBlock): StreamEvent[] {
    if (block.type === 'text') {
      if (block.citations.length === 0) return [];
      const citations = block.citations.map((citation) => parseJson(citation));
      return [{ type: 'block', index: this.#nextIndex++, block: { type: 'citations', citations } }];
    }
    if (block.type === 'thinking' || isCall(block) || isRedacted(block)) return [];
    return [{ type: 'block', index: block.index, block: customBlock(block) }];
  }

  /** A call without input is a whole call as soon as something proves that nothing was cut off after it. */
  #decideCall(): StreamEvent[] {
    const block = this.#undecidedCall;
    this.#undecidedCall = null;
    return block === null ? [] : wholeCall(block);
  }

  #usage(usage: unknown): StreamEvent[] {
    if (!isPlainObject(usage)) return [];
    this.#counters = mergeCounters(this.#counters, usage);
    return [{ type: 'usage', usage: usageOf(this.#counters) }];
  }

  #complete(): StreamEvent[] {
    const reason = this.#stopReason;
    const open = this.#blocks.filter((block) => !block.closed);
    const rest = open.flatMap((block) => this.#close(block));
    if (reason === null || !CUTTING.has(reason)) rest.push(...this.#decideCall());
    this.#ended = true;
    return [...rest, { type: 'stop', reason: reason === null ? 'unknown' : (STOP_REASONS[reason] ?? 'unknown') }];
  }

  #break(error: StreamError): StreamEvent[] {
    return this.#finish('error', [{ type: 'error', error }]);
  }

  /** The reply did not end by itself: what is open stays open, and is emitted as far as it came. */
  #finish(reason: StopReason, error: readonly StreamEvent[]): StreamEvent[] {
    this.#ended = true;
    const rest = this.#blocks.filter((block) => !block.closed).flatMap((block) => this.#rest(block));
    return [...rest, ...error, { type: 'stop', reason }];
  }
}

function wireIndex(payload: Payload): number {
  return typeof payload['index'] === 'number' ? payload['index'] : -1;
}

/** A delta without a start (lost by a proxy) opens the block that it belongs to. */
function startFor(delta: Payload): string {
  switch (delta['type']) {
    case 'text_delta':
    case 'citations_delta':
      return '{"type":"text","text":""}';
    case 'thinking_delta':
    case 'signature_delta':
      return '{"type":"thinking","thinking":"","signature":""}';
    default:
      return '{"type":"unknown"}';
  }
}

function toldOf(message: Payload): StreamEvent[] {
  const cacheTold = cacheToldIn(message);
  return cacheTold === null ? [] : [{ type: 'usage', usage: { cacheTold } }];
}
