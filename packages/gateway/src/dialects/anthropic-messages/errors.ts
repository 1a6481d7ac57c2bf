import type { ErrorDialect, Refusal } from '../refusal.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function envelope({ status, message }: Refusal): string {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return JSON.stringify({ type: 'error', error: { type, message } });
}

export const anthropicErrors: ErrorDialect = {
  body: envelope,
  event: (refusal) => `event: error\ndata: ${envelope(refusal)}\n\n`,
};
