import type { ProviderErrorCode, StreamError } from '@bough/core';
import type { Refusal } from './refusal.ts';

/** What each failure of a provider is to a client: the status decides whether it asks again. */
const STATUSES: Readonly<Record<ProviderErrorCode, number>> = {
  authentication: 401,
  permission: 403,
  rate_limit: 429,
  overloaded: 529,
  context_too_long: 400,
  history_rejected: 400,
  container_expired: 400,
  invalid_request: 400,
  not_found: 404,
  refusal: 400,
  network: 502,
  timeout: 504,
  malformed: 502,
  server: 500,
  aborted: 499,
};

/** A failure of the real provider, for the client of another one. */
export function failureOf({ code, message, retryable }: StreamError): Refusal {
  // Clients make room and go on when they read these words; any others end the conversation.
  const words = code === 'context_too_long' ? `prompt is too long: ${message}` : message;
  return { status: STATUSES[code], message: words, retry: retryable, code };
}
