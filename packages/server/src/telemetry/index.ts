import type { Call } from '@bough/core';
import type { EngineEvent } from '@bough/engine';
import { createHash } from 'node:crypto';
import type { EnvironmentVariables } from '../config/index.ts';

/**
 * Spans for calls and turns, in OpenTelemetry's JSON form, with the names of its GenAI conventions. Off unless an
 * endpoint is set, through the variables that every OpenTelemetry program reads. No content leaves: only names, counts
 * and times.
 */
export interface Telemetry {
  readonly observe: (event: EngineEvent) => void;
  /** Sends what is left. */
  readonly close: () => Promise<void>;
}

const FLUSH_MS = 2_000;
const MAX_WAITING = 2_000;

export function createTelemetry(env: EnvironmentVariables, onProblem: (message: string) => void): Telemetry {
  const endpoint = endpointOf(env);
  if (endpoint === null) return { observe: () => undefined, close: () => Promise.resolve() };
  let waiting: Span[] = [];
  let sending: Promise<void> = Promise.resolve();
  const flush = (): void => {
    const spans = waiting;
    waiting = [];
    if (spans.length > 0) sending = sending.then(() => post(endpoint, headersOf(env), spans, onProblem));
  };
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();
  return {
    observe: (event) => {
      if (event.type !== 'call_ended') return;
      // A collector that is gone must not fill the memory: the oldest spans are dropped.
      if (waiting.length >= MAX_WAITING) waiting.shift();
      waiting.push(spanOf(event.call));
    },
    close: async () => {
      clearInterval(timer);
      flush();
      await sending;
    },
  };
}

function endpointOf(env: EnvironmentVariables): string | null {
  const exact = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim();
  if (exact !== undefined && exact !== '') return exact;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim();
  return base === undefined || base === '' ? null : `${base.replace(/\/+$/, '')}/v1/traces`;
}

function headersOf(env: EnvironmentVariables): Record<string, string> {
  const pairs = (env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [[name.trim(), value.trim()]])),
  );
}

type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: number } | { readonly doubleValue: number };
};

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly kind: 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: 1 | 2; readonly message?: string };
}

/** The calls of one turn share a trace. */
function spanOf(call: Call): Span {
  const usage = call.usage ?? {};
  const attributes: (Attribute | null)[] = [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.provider.name', call.provider),
    text('gen_ai.request.model', call.model),
    call.responseId === null ? null : text('gen_ai.response.id', call.responseId),
    count('gen_ai.usage.input_tokens', usage.inputTokens),
    count('gen_ai.usage.output_tokens', usage.outputTokens),
    count('gen_ai.usage.reasoning_tokens', usage.reasoningTokens),
    call.cost === null ? null : { key: 'bough.cost_usd', value: { doubleValue: call.cost } },
    text('bough.turn.id', call.turnId),
    call.errorCode === null || call.status === 'complete' ? null : text('error.type', call.errorCode),
  ];
  return {
    traceId: hex(`turn ${call.turnId}`, 32),
    spanId: hex(`call ${call.id}`, 16),
    name: `chat ${call.model}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(call.startedAt),
    endTimeUnixNano: nanoseconds(call.endedAt ?? call.startedAt),
    attributes: attributes.filter((attribute) => attribute !== null),
    status: call.status === 'error' ? { code: 2, message: call.errorCode ?? 'error' } : { code: 1 },
  };
}

function text(key: string, stringValue: string): Attribute {
  return { key, value: { stringValue } };
}

function count(key: string, intValue: number | undefined): Attribute | null {
  return intValue === undefined ? null : { key, value: { intValue } };
}

function hex(value: string, length: number): string {
  return createHash('sha256').update(value).digest('hex').slice(0, length);
}

function nanoseconds(iso: string): string {
  return `${Date.parse(iso)}000000`;
}

async function post(
  endpoint: string,
  headers: Record<string, string>,
  spans: readonly Span[],
  onProblem: (message: string) => void,
): Promise<void> {
  const body = JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', 'bough')] },
        scopeSpans: [{ scope: { name: 'bough', version: '0.1.0' }, spans }],
      },
    ],
  });
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) onProblem(`The trace collector answered ${response.status}.`);
    await response.body?.cancel();
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
  }
}
