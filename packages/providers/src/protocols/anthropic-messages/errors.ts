import type { ProviderErrorCode, StreamError } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { codeOfStatus, providerError } from '../../errors/index.ts';
import { parseJson } from '../../render/json-text.ts';

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

// Decided by the leading clause: the rest of these messages, with links and names, changes from month to month.
const TOO_LONG =
  /prompt is too long|exceed context limit|exceeds? the (?:model's )?(?:maximum )?context|input length and `max_tokens`/i;
const HISTORY =
  /^messages[.:\d]|`?tool_use`? ids|`?tool_result`?|`?(?:redacted_)?thinking`? blocks?|Invalid `(?:signature|data)`|assistant message prefill|final (?:assistant|block)/i;

/** The vendor's pages say that an expired container fails the request, and not with which words. */
const CONTAINER = /^container\b.*(?:expired|not found|no longer)/i;

// Errors with a code are recognised by it: the provider says that their sentences may change.
const HISTORY_CODES =
  /^(?:tool_reference_unresolved|tool_name_conflict|compaction_(?:block|content|signature|tool_changes)_\w+)$/;
const BY_CODE: Readonly<Record<string, ProviderErrorCode>> = {
  organization_on_hold: 'permission',
  organization_not_enrolled_in_beta: 'permission',
  claude_code_version_too_old: 'permission',
  claude_code_key_creator_not_member: 'permission',
  enforced_spend_limit_reached: 'rate_limit',
  ramp_limit_exceeded: 'rate_limit',
  thread_not_found: 'not_found',
  file_expired: 'not_found',
  container_expired: 'container_expired',
  container_not_found: 'container_expired',
  request_body_too_large_after_decoding: 'context_too_long',
  compaction_unavailable: 'overloaded',
};
/** The limit stays until somebody raises it. */
const LASTING: ReadonlySet<string> = new Set(['enforced_spend_limit_reached']);

/** An error in the provider's envelope, from an HTTP response or from an `error` event in the middle of a stream. */
export function readError(status: number, body: string): StreamError {
  const outer = parseJson(body);
  const envelope = isPlainObject(outer) ? outer : {};
  const inner = isPlainObject(envelope['error']) ? envelope['error'] : {};
  // Some routes wrap the whole envelope again, as text (Claude on Vertex).
  const wrapped = typeof inner['message'] === 'string' ? parseJson(inner['message']) : undefined;
  if (isPlainObject(wrapped) && isPlainObject(wrapped['error'])) return readError(status, JSON.stringify(wrapped));

  const type = typeof inner['type'] === 'string' ? inner['type'] : '';
  const text = typeof inner['message'] === 'string' ? inner['message'] : '';
  const details = isPlainObject(inner['details']) ? inner['details'] : {};
  const errorCode = typeof details['error_code'] === 'string' ? details['error_code'] : '';
  const code = codeOfCode(errorCode) ?? codeOf(status, type, text);
  const requestId = envelope['request_id'];
  const message = text === '' ? `The provider answered with status ${status} and no readable message.` : text;
  return providerError(code, message, {
    status,
    ...(LASTING.has(errorCode) && { retryable: false }),
    ...(typeof requestId === 'string' && { providerRequestId: requestId }),
  });
}

function codeOfCode(errorCode: string): ProviderErrorCode | undefined {
  if (HISTORY_CODES.test(errorCode)) return 'history_rejected';
  return Object.hasOwn(BY_CODE, errorCode) ? BY_CODE[errorCode] : undefined;
}

function codeOf(status: number, type: string, text: string): ProviderErrorCode {
  if (TOO_LONG.test(text)) return 'context_too_long';
  if (type === 'invalid_request_error' || (type === '' && (status === 400 || status === 422))) {
    if (CONTAINER.test(text)) return 'container_expired';
    return HISTORY.test(text) ? 'history_rejected' : 'invalid_request';
  }
  return BY_TYPE[type] ?? codeOfStatus(status);
}
