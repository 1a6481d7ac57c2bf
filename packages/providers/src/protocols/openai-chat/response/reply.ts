import type { RawResponse } from '@bough/core';
import { bodyOfRaw, eventsOfRaw } from '@bough/core';
import type { AssembledCall } from './calls.ts';
import { CallAssembly } from './calls.ts';
import { ChunkReader } from './chunk.ts';
import { DetailsMerge } from './details.ts';
import { Ending } from './ending.ts';
import type { Json } from './json.ts';
import type { Piece } from './pieces.ts';

/** Content of one kind, up to where the kind changes. */
export interface ContentRun {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly signature: string | null;
}

/** A reply as its server sent it, reassembled: what a request sends back. Every string is exact. */
export interface WireReply {
  /** All text content, think tags included. */
  readonly content: string;
  /** The content as runs in order: thinking runs come from a server that sends content parts. */
  readonly runs: readonly ContentRun[];
  /** Reasoning from a dedicated field. */
  readonly reasoning: string;
  /** True if the server sent such a field, even if it stayed empty. */
  readonly hasReasoning: boolean;
  readonly details: readonly Json[];
  readonly refusal: string;
  readonly calls: readonly AssembledCall[];
  readonly wholeCalls: ReadonlySet<string>;
  /** False if nothing came after the reasoning: it may have broken off in the middle of a thought. */
  readonly reasoningEnded: boolean;
  /** True once the server has said that it is done. */
  readonly complete: boolean;
}

const cache = new WeakMap<RawResponse, WireReply>();

/** Read once per raw response: a long conversation sends every reply again with every request. */
export function replyOfRaw(raw: RawResponse): WireReply {
  const known = cache.get(raw);
  if (known) return known;
  const body = bodyOfRaw(raw);
  const reply = assemble(body === null ? eventsOfRaw(raw).map((event) => event.data) : [body, '[DONE]'], raw.complete);
  cache.set(raw, reply);
  return reply;
}

function assemble(chunks: readonly string[], rawComplete: boolean): WireReply {
  const calls = new CallAssembly();
  const details = new DetailsMerge();
  const runs: ContentRun[] = [];
  let content = '';
  let reasoning = '';
  let refusal = '';
  let hasReasoning = false;
  let reasoningEnded = false;
  const ending = new Ending();
  let identified = false;

  const run = (kind: ContentRun['kind'], text: string, signature: string | null): void => {
    const last = runs.at(-1);
    if (last?.kind === kind)
      runs[runs.length - 1] = { kind, text: last.text + text, signature: signature ?? last.signature };
    else runs.push({ kind, text, signature });
  };
  const take = (piece: Piece): void => {
    switch (piece.kind) {
      case 'reasoning':
        reasoning += piece.text;
        return;
      case 'detail':
        details.push(piece.entry);
        return;
      case 'content':
      case 'text_chunk':
        content += piece.text;
        run('text', piece.text, null);
        break;
      case 'thinking_chunk':
        run('thinking', piece.text, piece.signature);
        return;
      case 'call':
        calls.push(piece.delta);
        break;
      case 'extra':
        if (piece.key === 'refusal' && typeof piece.value === 'string') refusal += piece.value;
        break;
    }
    reasoningEnded = true;
  };

  const reader = new ChunkReader();
  for (const data of chunks) {
    const chunk = reader.read(data);
    ending.take(chunk);
    if (chunk.type !== 'chunk') continue;
    if (!identified && (chunk.id !== '' || chunk.model !== '')) {
      identified = true;
      calls.setResponseId(chunk.id);
    }
    hasReasoning ||= sentReasoningField(chunk.choice);
    for (const piece of chunk.pieces) take(piece);
  }
  const finished = ending.isComplete(rawComplete ? 'closed' : 'failed', calls.calls.length > 0);
  return {
    content,
    runs,
    reasoning,
    hasReasoning,
    details: details.entries,
    refusal,
    calls: calls.calls,
    wholeCalls: new Set(calls.calls.filter((call) => calls.isWhole(call, finished)).map((call) => call.id)),
    reasoningEnded,
    complete: finished && rawComplete,
  };
}

function sentReasoningField(choice: Json | null): boolean {
  const said = choice?.['delta'] ?? choice?.['message'];
  return (
    typeof said === 'object' &&
    said !== null &&
    'reasoning_content' in said &&
    typeof said.reasoning_content === 'string'
  );
}
