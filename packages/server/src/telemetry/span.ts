import type { Call } from '@bough/core';
import { createHash } from 'node:crypto';
import { operationName, providerName } from './gen-ai.ts';
import type { TraceContext } from './trace.ts';

export type Attribute = {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: number }
    | { readonly doubleValue: number }
    | { readonly boolValue: boolean }
    | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };
};

/** A span in OpenTelemetry's JSON form. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2: we were asked; 3: we asked. */
  readonly kind: 2 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

/**
 * A call, with the names of the GenAI conventions. The calls of one turn share a trace, unless a client brought one
 * along.
 */
export function callSpan(call: Call, within: TraceContext | null): Span {
  const usage = call.usage ?? {};
  const operation = operationName(call.provider);
  const attributes: (Attribute | null)[] = [
    text('gen_ai.operation.name', operation),
    text('gen_ai.provider.name', providerName(call.provider)),
    text('gen_ai.request.model', call.model),
    text('gen_ai.conversation.id', call.projectId),
    call.responseId === null ? null : text('gen_ai.response.id', call.responseId),
    texts('gen_ai.response.finish_reasons', [call.status === 'complete' ? (call.errorCode ?? 'stop') : 'error']),
    call.firstByteAt === null
      ? null
      : seconds('gen_ai.response.time_to_first_chunk', Date.parse(call.firstByteAt) - Date.parse(call.startedAt)),
    count('gen_ai.usage.input_tokens', usage.inputTokens),
    count('gen_ai.usage.cache_read.input_tokens', usage.cachedInputTokens),
    count('gen_ai.usage.cache_write.input_tokens', usage.cacheWriteTokens),
    count('gen_ai.usage.output_tokens', usage.outputTokens),
    count('gen_ai.usage.reasoning.output_tokens', usage.reasoningTokens),
    call.cost === null ? null : { key: 'bough.cost_usd', value: { doubleValue: call.cost } },
    text('bough.turn.id', call.turnId),
    call.purpose === undefined ? null : text('bough.purpose', call.purpose),
    call.errorCode === null || call.status === 'complete' ? null : text('error.type', call.errorCode),
  ];
  return {
    traceId: within?.traceId ?? hex(`turn ${call.turnId}`, 32),
    spanId: hex(`call ${call.id}`, 16),
    ...(within === null ? {} : { parentSpanId: within.spanId }),
    name: `${operation} ${call.model}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(Date.parse(call.startedAt)),
    endTimeUnixNano: nanoseconds(Date.parse(call.endedAt ?? call.startedAt)),
    attributes: attributes.filter((attribute) => attribute !== null),
    status: call.status === 'error' ? { code: 2, message: call.errorCode ?? 'error' } : { code: 0 },
  };
}

/** A request of a client that passed through the gateway. */
export interface PassedRequest {
  readonly method: string;
  /** Without the query: it may hold a key. */
  readonly path: string;
  readonly status: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

export function requestSpan(request: PassedRequest, own: TraceContext, caller: TraceContext | null): Span {
  const { method, path, status, startedAt, endedAt } = request;
  return {
    traceId: own.traceId,
    spanId: own.spanId,
    ...(caller === null ? {} : { parentSpanId: caller.spanId }),
    name: `${method} /gateway`,
    kind: 2,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: [
      text('http.request.method', method),
      text('url.path', path),
      count('http.response.status_code', status),
      // What a client asked for wrongly is the client's error, not the server's.
      status >= 500 ? text('error.type', String(status)) : null,
    ].filter((attribute) => attribute !== null),
    status: status >= 500 ? { code: 2 } : { code: 0 },
  };
}

export function text(key: string, stringValue: string): Attribute {
  return { key, value: { stringValue } };
}

function texts(key: string, values: readonly string[]): Attribute {
  return { key, value: { arrayValue: { values: values.map((stringValue) => ({ stringValue })) } } };
}

function count(key: string, intValue: number | undefined): Attribute | null {
  return intValue === undefined ? null : { key, value: { intValue } };
}

function seconds(key: string, milliseconds: number): Attribute | null {
  return milliseconds >= 0 ? { key, value: { doubleValue: milliseconds / 1000 } } : null;
}

function hex(value: string, length: number): string {
  return createHash('sha256').update(value).digest('hex').slice(0, length);
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`;
}
