import type { ProviderErrorCode, StreamError } from '@bough/core';
import { createRedactor } from './redact.ts';

/** Retrying the same request may help. Everything else fails again. */
const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set([
  'rate_limit',
  'overloaded',
  'server',
  'timeout',
  'network',
  'malformed',
]);

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'authentication',
  402: 'permission',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  413: 'context_too_long',
  429: 'rate_limit',
  // Groq: the tier has no capacity right now.
  498: 'overloaded',
  499: 'aborted',
  503: 'overloaded',
  504: 'timeout',
  // Cloudflare: the origin server took too long.
  524: 'timeout',
  529: 'overloaded',
};

/** What an HTTP status means if the body says nothing better. */
export function codeOfStatus(status: number): ProviderErrorCode {
  return BY_STATUS[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server');
}

const MAX_MESSAGE = 600;
const redact = createRedactor([]);

/**
 * A provider's error as Bough reports it. Providers quote what they refuse, including keys and whole prompts: neither
 * belongs in a log or on the screen. `retryable` is for cases in which the code says too little.
 */
export function providerError(
  code: ProviderErrorCode,
  message: string,
  {
    retryable = RETRYABLE.has(code),
    ...more
  }: { readonly retryable?: boolean; readonly status?: number; readonly providerRequestId?: string } = {},
): StreamError {
  const text = redact(message).trim();
  return {
    code,
    message: text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}…`,
    retryable,
    ...(more.status !== undefined && more.status > 0 && { status: more.status }),
    ...(more.providerRequestId !== undefined && { providerRequestId: more.providerRequestId }),
  };
}

/** The stream closed before the reply was finished. */
export const CUT_SHORT: StreamError = providerError(
  'network',
  'The stream ended before the reply was complete. What arrived is kept; send again to get a whole reply.',
);

/** Nobody can tell what is missing after such an event. */
export const NOT_JSON: StreamError = providerError('malformed', 'The provider sent an event that is not JSON.');
