import type { ProviderErrorCode } from '@bough/core';
import type { ErrorDialect, Refusal } from '../refusal.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  402: 'insufficient_quota',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
};

/** Clients make room, wait or stop because of these. */
const PROVIDER_CODES: Readonly<Partial<Record<ProviderErrorCode, string>>> = {
  context_too_long: 'context_length_exceeded',
  overloaded: 'server_is_overloaded',
  rate_limit: 'rate_limit_exceeded',
};

/** Both protocols of OpenAI share the body. */
export function openaiEnvelope({ status, message, code }: Refusal): {
  readonly error: Readonly<Record<string, unknown>>;
} {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const known = code === undefined ? undefined : PROVIDER_CODES[code];
  return { error: { message, type, param: null, code: known ?? CODES[status] ?? null } };
}

export const responsesErrors: ErrorDialect = {
  body: (refusal) => JSON.stringify(openaiEnvelope(refusal)),
  // Without a wrapper here. The number of the event is unknown to a gateway that reads no events; clients ignore it.
  event: ({ status, message }) => {
    const code = CODES[status] ?? 'server_error';
    const event = { type: 'error', code, message, param: null, sequence_number: 0 };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  },
};
