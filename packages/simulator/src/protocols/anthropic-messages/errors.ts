import type { Answer } from '../../simulated-protocol.ts';

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

function typeOf(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** The envelope of every error; `details` only if the error has a code of its own. */
export function errorAnswer(status: number, message: string, more: { requestId?: string; code?: string } = {}): Answer {
  const { requestId = 'req_simulated', code } = more;
  const error = { type: typeOf(status), message, ...(code !== undefined && { details: { error_code: code } }) };
  return {
    type: 'body',
    status,
    headers: { 'request-id': requestId },
    body: JSON.stringify({ type: 'error', error, request_id: requestId }),
  };
}

export function errorFrame(kind: 'overloaded' | 'server'): string {
  const error =
    kind === 'overloaded'
      ? { type: 'overloaded_error', message: 'Overloaded' }
      : { type: 'api_error', message: 'Internal server error' };
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error, request_id: 'req_simulated' })}\n\n`;
}
