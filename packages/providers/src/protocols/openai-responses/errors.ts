import type { ProviderErrorCode, StreamError } from '@bough/core';
import { codeOfStatus, providerError } from '../../errors/index.ts';
import type { WireItem } from './wire.ts';
import { objectOf, stringOf } from './wire.ts';
import { parseJson } from '../../render/json-text.ts';

/** An error object of the API, from an HTTP body, an `error` event or a failed response. */
interface WireError {
  readonly message: string;
  readonly code: string;
  readonly type: string;
}

/** An HTTP error response, classified. */
export function readError(status: number, body: string): StreamError {
  const error = errorObject(objectOf(parseJson(body))) ?? { message: '', code: '', type: '' };
  const code = byWords(error) ?? codeOfStatus(status);
  const message = error.message === '' ? `The provider answered with HTTP status ${status}.` : error.message;
  return providerError(code, message, { status, ...withoutQuota(error) });
}

/** What an `error` event or the `error` of a failed response says. */
export function readStreamError(value: WireItem | undefined): StreamError {
  const error = errorObject(value) ?? { message: '', code: '', type: '' };
  const code = byWords(error) ?? 'server';
  const message = error.message === '' ? 'The provider reported an error without saying which.' : error.message;
  return providerError(code, message, withoutQuota(error));
}

/** True for an object that is an error, with or without the wrapper that only some transports use. */
export function errorObject(value: WireItem | undefined): WireError | undefined {
  if (value === undefined) return undefined;
  const inner = objectOf(value['error']) ?? value;
  const message = stringOf(inner['message']) ?? stringOf(inner['detail']) ?? stringOf(value['error']);
  const code = stringOf(inner['code']);
  if (message === undefined && code === undefined) return undefined;
  return { message: message ?? '', code: code ?? '', type: stringOf(inner['type']) ?? '' };
}

// The code decides if there is one; otherwise the leading words do, because the ends of the sentences vary.
const BY_CODE: ReadonlyMap<string, ProviderErrorCode> = new Map([
  ['context_length_exceeded', 'context_too_long'],
  ['previous_response_not_found', 'history_rejected'],
  ['invalid_encrypted_content', 'history_rejected'],
  ['invalid_api_key', 'authentication'],
  ['insufficient_quota', 'rate_limit'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['model_not_found', 'not_found'],
  ['server_error', 'server'],
  ['server_is_overloaded', 'overloaded'],
  ['slow_down', 'overloaded'],
  ['invalid_prompt', 'refusal'],
  ['content_policy_violation', 'refusal'],
  ['bio_policy', 'refusal'],
  ['cyber_policy', 'refusal'],
]);

const BY_WORDS: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  [/exceeds the context window|maximum context length/i, 'context_too_long'],
  [/was provided without its required/i, 'history_rejected'],
  [/no tool (output|call) found for/i, 'history_rejected'],
  [/duplicate item found|items are not persisted/i, 'history_rejected'],
  [/encrypted content .*could not be/i, 'history_rejected'],
  [/previous response .*(not found|cannot be used)/i, 'history_rejected'],
  // Items of the history name a container that is gone: the same request will never work.
  [/^container (?:is expired|with id .*not found)/i, 'container_expired'],
  [/'input\[\d+\]/, 'history_rejected'],
  [/overloaded|at capacity/i, 'overloaded'],
  [/rate limit/i, 'rate_limit'],
];

function byWords(error: WireError): ProviderErrorCode | undefined {
  return (
    BY_CODE.get(error.code) ??
    BY_WORDS.find(([words]) => words.test(error.message))?.[1] ??
    (error.type === 'server_error' ? 'server' : undefined)
  );
}

/** An exhausted quota is reported as a rate limit, but waiting does not refill it. */
function withoutQuota({ code }: WireError): { readonly retryable?: false } {
  return code === 'insufficient_quota' ? { retryable: false } : {};
}
