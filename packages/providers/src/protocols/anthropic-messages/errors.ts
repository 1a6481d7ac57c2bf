import type { ProviderErrorCode, StreamError } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { parseJson } from './json-text.ts';

const BY_TYPE: Readonly<Record<string, ProviderErrorCode>> = {
  authentication_error: 'authentication',
  billing_error: 'permission',
  permission_error: 'permission',
  not_found_error: 'not_found',
  request_too_large: 'context_too_long',
  rate_limit_error: 'rate_limit',
  overloaded_error: 'overloaded',
  timeout_error: 'timeout',
  api_error: 'server',
};

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'authentication',
  402: 'permission',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  413: 'context_too_long',
  429: 'rate_limit',
  504: 'timeout',
  529: 'overloaded',
};

const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set(['rate_limit', 'overloaded', 'server', 'timeout']);

// Decided by the leading clause: the tails of these messages, with links and names, change from month to month.
const TOO_LONG =
  /prompt is too long|exceed context limit|exceeds? the (?:model's )?(?:maximum )?context|input length and `max_tokens`/i;
const HISTORY =
  /^messages[.:\d]|`?tool_use`? ids|`?tool_result`?|`?(?:redacted_)?thinking`? blocks?|Invalid `(?:signature|data)`|assistant message prefill|final (?:assistant|block)/i;

const MAX_MESSAGE = 600;

/** An error in the provider's envelope, from an HTTP response or from an `error` event in the middle of a stream. */
export function readError(status: number, body: string): StreamError {
  const outer = parseJson(body);
  const envelope = isPlainObject(outer) ? outer : {};
  const inner = isPlainObject(envelope['error']) ? envelope['error'] : {};
  // Some routes wrap the whole envelope once more, as text (Claude on Vertex).
  const wrapped = typeof inner['message'] === 'string' ? parseJson(inner['message']) : undefined;
  if (isPlainObject(wrapped) && isPlainObject(wrapped['error'])) return readError(status, JSON.stringify(wrapped));

  const type = typeof inner['type'] === 'string' ? inner['type'] : '';
  const text = typeof inner['message'] === 'string' ? inner['message'] : '';
  const code = codeOf(status, type, text);
  const requestId = envelope['request_id'];
  return {
    code,
    message: text === '' ? `The provider answered with status ${status} and no readable message.` : shortened(text),
    retryable: RETRYABLE.has(code),
    ...(status > 0 && { status }),
    ...(typeof requestId === 'string' && { providerRequestId: requestId }),
  };
}

function codeOf(status: number, type: string, text: string): ProviderErrorCode {
  if (TOO_LONG.test(text)) return 'context_too_long';
  if (type === 'invalid_request_error' || (type === '' && (status === 400 || status === 422))) {
    return HISTORY.test(text) ? 'history_rejected' : 'invalid_request';
  }
  return BY_TYPE[type] ?? BY_STATUS[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server');
}

/** Providers quote what they refuse; a message must not carry a whole prompt into a log. */
function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}…`;
}
