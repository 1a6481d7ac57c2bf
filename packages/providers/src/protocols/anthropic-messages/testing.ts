import { readFileSync } from 'node:fs';
import type { ContentBlock, ContextItem, Issuer, RawEvent, RawResponse, StreamEvent } from '@bough/core';
import { nodeId, parseMessage, rawPayload } from '@bough/core';
import { createParser } from 'eventsource-parser';
import { anthropic } from '../../deployments/anthropic.ts';
import type { RenderInput, StreamOutcome } from '../../protocol.ts';
import { ClaudeFold } from './response/fold.ts';

// Shared by the tests of this protocol. Nothing else imports it.

export const ISSUER: Issuer = {
  provider: 'anthropic',
  deployment: 'anthropic@api.anthropic.com',
  model: 'claude-sonnet-4-5',
};

export const STREAMS = [
  'thinking-and-tool',
  'omitted-thinking',
  'redacted-and-citations',
  'server-tool',
  'unknown-blocks',
  'refusal',
  'error-in-stream',
  'cut-call',
  'empty-calls',
  'call-cut-before-input',
] as const;

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
}

export function stream(name: (typeof STREAMS)[number]): Buffer {
  return fixture(`${name}.sse`);
}

/** The events that a server-sent event parser finds in these chunks of bytes. */
export function eventsIn(...chunks: readonly Uint8Array[]): readonly RawEvent[] {
  const events: RawEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
  });
  const decoder = new TextDecoder();
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return events;
}

export function folded(
  events: readonly RawEvent[],
  outcome: StreamOutcome = { type: 'closed' },
): readonly StreamEvent[] {
  const fold = new ClaudeFold();
  const neutral = events.flatMap((event) => fold.push(event));
  return [...neutral, ...fold.end(outcome)];
}

/** A stored reply made from one of the fixtures, or from any events. */
export function rawOf(
  source: (typeof STREAMS)[number] | readonly RawEvent[],
  change: Partial<RawResponse> = {},
): RawResponse {
  const events = typeof source === 'string' ? eventsIn(stream(source)) : source;
  return {
    ...ISSUER,
    api: 'anthropic-messages',
    version: 1,
    capturedAt: '2026-11-15T12:00:00.000Z',
    complete: true,
    payload: rawPayload('anthropic-messages', events),
    ...change,
  };
}

export const item = {
  user: (id: string, ...texts: readonly string[]): ContextItem => made(id, { role: 'user', content: texts.map(words) }),
  reply: (id: string, content: readonly ContentBlock[], change: Partial<ContextItem> = {}): ContextItem =>
    made(id, { role: 'assistant', content }, change),
  /** A reply that is sent back from its raw response. */
  raw: (id: string, change: Partial<ContextItem> = {}): ContextItem =>
    made(id, { role: 'assistant', content: [words('canonical')] }, { source: 'raw', reasoning: 'verbatim', ...change }),
  result: (id: string, callId: string, text: string, change: Partial<ContextItem> = {}): ContextItem =>
    made(id, { role: 'tool', content: [words(text)], tool_call_id: callId }, change),
};

function words(text: string): ContentBlock {
  return { type: 'text', text };
}

function made(id: string, message: unknown, change: Partial<ContextItem> = {}): ContextItem {
  return {
    nodeIds: [nodeId(id)],
    source: 'canonical',
    message: parseMessage(message),
    reasoning: 'omit',
    partial: false,
    answeredCalls: [],
    synthetic: false,
    ...change,
  };
}

/** A request to Sonnet 4.5 without tools; `raws` are the stored replies by node. */
export function input(
  items: readonly ContextItem[],
  change: Partial<Omit<RenderInput, 'model'>> & { model?: string; raws?: Readonly<Record<string, RawResponse>> } = {},
): RenderInput {
  const { model = ISSUER.model, raws = {}, ...rest } = change;
  return {
    items,
    systemPrompt: null,
    tools: [],
    toolChoice: 'auto',
    thinking: 'off',
    maxTokens: 8_000,
    stream: true,
    model: anthropic.modelInfo(model),
    deployment: anthropic,
    rawOf: (id) => raws[id],
    ...rest,
  };
}
