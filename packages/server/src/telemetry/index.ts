import { VERSION } from '@bough/core';
import type { EngineEvent } from '@bough/engine';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EnvironmentVariables } from '../config/index.ts';
import type { Span } from './span.ts';
import { callSpan, requestSpan, text } from './span.ts';
import type { TraceContext } from './trace.ts';
import { readTraceparent, spanWithin, writeTraceparent } from './trace.ts';

/**
 * Spans for calls and turns, in OpenTelemetry's JSON form, with the names of its GenAI conventions. Off unless an
 * endpoint is set, through the variables that every OpenTelemetry program reads. No content leaves: only names, counts
 * and times.
 */
export interface Telemetry {
  readonly observe: (event: EngineEvent) => void;
  /**
   * A client's request on its way through the gateway. What `work` leads to belongs to the client's trace; the headers
   * that it is given name this server's span where the client's named its own.
   */
  readonly passing: (arriving: Arriving, work: (headers: HeaderRecord) => Promise<{ status: number }>) => Promise<void>;
  /** Sends what is left. */
  readonly close: () => Promise<void>;
}

export type HeaderRecord = Readonly<Record<string, string>>;

export interface Arriving {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderRecord;
}

const FLUSH_MS = 2_000;
const MAX_WAITING = 2_000;

export function createTelemetry(env: EnvironmentVariables, onProblem: (message: string) => void): Telemetry {
  const endpoint = endpointOf(env);
  if (endpoint === null) {
    return {
      observe: () => undefined,
      // The client's own `traceparent` goes on as it came: nobody here adds to its trace.
      passing: async ({ headers }, work) => void (await work(headers)),
      close: () => Promise.resolve(),
    };
  }
  const collector = { endpoint, headers: headersOf(env), service: env['OTEL_SERVICE_NAME']?.trim() || 'bough' };
  const within = new AsyncLocalStorage<TraceContext>();
  let waiting: Span[] = [];
  let sending: Promise<void> = Promise.resolve();
  const flush = (): void => {
    const spans = waiting;
    waiting = [];
    if (spans.length > 0) sending = sending.then(() => post(collector, spans, onProblem));
  };
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();
  const add = (span: Span): void => {
    // A collector that is gone must not fill the memory: the oldest spans are dropped.
    if (waiting.length >= MAX_WAITING) waiting.shift();
    waiting.push(span);
  };
  return {
    observe: (event) => {
      if (event.type === 'call_ended') add(callSpan(event.call, within.getStore() ?? null));
    },
    passing: async ({ method, path, headers }, work) => {
      const caller = readTraceparent(headers['traceparent']);
      const own = spanWithin(caller);
      // Where the client told nobody of its trace, the vendor is not told either.
      const onward = caller === null ? headers : { ...headers, traceparent: writeTraceparent(own) };
      const startedAt = Date.now();
      let status = 500;
      try {
        ({ status } = await within.run(own, () => work(onward)));
      } finally {
        add(requestSpan({ method, path, status, startedAt, endedAt: Date.now() }, own, caller));
      }
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

/** What is said of traces alone comes after what is said of everything, and wins. */
function headersOf(env: EnvironmentVariables): Record<string, string> {
  const listed = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'].map((name) => env[name] ?? '');
  return Object.fromEntries(
    listed
      .flatMap((text) => text.split(','))
      .flatMap((pair) => {
        // Only the first: a key in Base64 may end in more of them.
        const at = pair.indexOf('=');
        return at < 1 ? [] : [[pair.slice(0, at).trim(), unescaped(pair.slice(at + 1).trim())]];
      }),
  );
}

/** Values may be written as in an address, such as `Basic%20abc`; one that is not is meant as it stands. */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface Collector {
  readonly endpoint: string;
  readonly headers: HeaderRecord;
  /** What this server is called in the traces. */
  readonly service: string;
}

async function post(
  { endpoint, headers, service }: Collector,
  spans: readonly Span[],
  onProblem: (message: string) => void,
): Promise<void> {
  const body = JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', service)] },
        scopeSpans: [{ scope: { name: 'bough', version: VERSION }, spans }],
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
