import type { ProviderErrorCode, StreamError } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { codeOfStatus, providerError } from '../../errors/index.ts';
import { parseJson } from '../../render/json-text.ts';

/**
 * Google's error: the same object in an HTTP body, in a stream, and (some gateways) as the only element of an array.
 */
export interface WireError {
  readonly code?: number;
  readonly status?: string;
  readonly message: string;
  readonly reasons: readonly string[];
}

export function readWireError(value: unknown): WireError | undefined {
  const holder: unknown = Array.isArray(value) ? value[0] : value;
  if (!isPlainObject(holder) || !('error' in holder)) return undefined;
  const error = holder['error'];
  if (typeof error === 'string') return { message: error, reasons: [] };
  if (!isPlainObject(error)) return { message: '', reasons: [] };
  const { code, status, message, details } = error;
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof status === 'string' && { status }),
    message: typeof message === 'string' ? message : '',
    reasons: Array.isArray(details) ? details.flatMap(reasonOf) : [],
  };
}

/** An HTTP error response. `body` may hold anything. */
export function readError(status: number, body: string): StreamError {
  const error = readWireError(parseJson(body)) ?? { message: '', reasons: [] };
  return streamError({ ...error, code: status });
}

export function streamError(error: WireError): StreamError {
  const code = classify(error);
  const text = withoutPayload(error.message);
  const message =
    text === '' ? `Gemini answered with an error (${error.status ?? error.code ?? 'no status'}).` : `Gemini: ${text}`;
  return providerError(code, message, error.code === undefined ? {} : { status: error.code });
}

const BY_NAME: Readonly<Record<string, ProviderErrorCode>> = {
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'not_found',
  RESOURCE_EXHAUSTED: 'rate_limit',
  CANCELLED: 'aborted',
  INTERNAL: 'server',
  UNKNOWN: 'server',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
  FAILED_PRECONDITION: 'permission',
};

/** Leading words only: the rest of these sentences changes from month to month. */
const HISTORY = [
  /thought[_ ]signature/i,
  /function (call|response) (turn|parts)/i,
  /function[_ ]?response/i,
  /number of function response/i,
  /valid role/i,
  /ending with a model turn/i,
  /contents\[\d+\]/i,
];

function classify({ code, status, message, reasons }: WireError): ProviderErrorCode {
  // A bad key is a 400 here, not a 401.
  if (reasons.includes('API_KEY_INVALID') || /api key (not valid|expired|not found)/i.test(message))
    return 'authentication';
  if (/token count.*exceeds|exceeds the maximum number of tokens/i.test(message)) return 'context_too_long';
  const byStatus = code === undefined ? 'invalid_request' : codeOfStatus(code);
  const named = byStatus === 'invalid_request' && status !== undefined ? BY_NAME[status] : undefined;
  if (named !== undefined) return named;
  const isHistory = byStatus === 'invalid_request' && HISTORY.some((pattern) => pattern.test(message));
  return isHistory ? 'history_rejected' : byStatus;
}

/**
 * Google repeats the offending value, which may be a whole message of the user: an error must not carry it into a log.
 */
function withoutPayload(message: string): string {
  const text = message
    .replace(/(Invalid value at '[^']*' \([^)]*\)).*/s, '$1')
    .replace(/(Base64 decoding failed).*/s, '$1');
  return text.trim();
}

function reasonOf(detail: unknown): string[] {
  return isPlainObject(detail) && typeof detail['reason'] === 'string' ? [detail['reason']] : [];
}
