import { randomBytes } from 'node:crypto';

/** Where a span belongs: the trace, and the span that it is part of. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What `traceparent` says (W3C Trace Context); null where it says nothing that can be used. */
export function readTraceparent(header: string | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header?.trim() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags };
}

export function writeTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** A span of ours in a caller's trace, or the first of a new one. */
export function spanWithin(caller: TraceContext | null): TraceContext {
  return {
    traceId: caller?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    flags: caller?.flags ?? '01',
  };
}
