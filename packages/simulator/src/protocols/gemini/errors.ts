import type { Answer } from '../../simulated-protocol.ts';

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

function envelope(code: number, message: string): { readonly error: Readonly<Record<string, unknown>> } {
  return { error: { code, message, status: STATUS_NAMES[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT') } };
}

export function errorAnswer(status: number, message: string): Answer {
  return { type: 'body', status, body: `${JSON.stringify(envelope(status, message), null, 2)}\n` };
}

/** Without `alt=sse` a stream is an array, and so is its error. */
export function arrayErrorAnswer(status: number, message: string): Answer {
  return { type: 'body', status, body: `[${JSON.stringify(envelope(status, message), null, 2)}\n]` };
}

export function errorFrame(kind: 'overloaded' | 'server'): string {
  const error =
    kind === 'overloaded'
      ? envelope(503, 'The model is overloaded. Please try again later.')
      : envelope(500, 'An internal error has occurred. Please retry.');
  return `data: ${JSON.stringify(error)}\r\n\r\n`;
}
