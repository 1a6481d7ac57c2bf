import type { Answer } from '../../simulated-protocol.ts';

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

export function refuse({ status, message, param, code }: Refusal): Answer {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { type: 'body', status, body: JSON.stringify({ error: { message, type, param, code } }, null, 2) };
}

export function errorAnswer(status: number, message: string): Answer {
  return refuse({ status, message, param: null, code: status === 429 ? 'rate_limit_exceeded' : null });
}

/** In the middle of a stream the error has no wrapper. */
export function errorFrame(kind: 'overloaded' | 'server'): string {
  const error =
    kind === 'overloaded'
      ? { code: 'server_is_overloaded', message: 'Our servers are currently overloaded. Please try again later.' }
      : { code: 'server_error', message: 'The server had an error while processing your request. Sorry about that!' };
  return frame({ type: 'error', ...error, param: null, sequence_number: 0 });
}

export function frame(event: Readonly<Record<string, unknown>>): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
}
