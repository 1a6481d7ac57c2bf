import type { ErrorDialect, Refusal } from '../refusal.ts';

const NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

function envelope({ status, message, retryAfterSeconds }: Refusal): string {
  const name = NAMES[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
  // This protocol has no header for it: clients read how long to wait from here.
  const details =
    retryAfterSeconds === undefined ? {} : { details: [{ '@type': RETRY_INFO, retryDelay: `${retryAfterSeconds}s` }] };
  return JSON.stringify({ error: { code: status, message, status: name, ...details } });
}

export const geminiErrors: ErrorDialect = {
  body: envelope,
  event: (refusal) => `data: ${envelope(refusal)}\r\n\r\n`,
};
