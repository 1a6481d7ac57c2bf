import type { ProtocolId, StreamError } from '@bough/core';
import { anthropicErrors } from './anthropic-messages/errors.ts';
import { geminiErrors } from './gemini/errors.ts';
import { chatErrors } from './openai-chat/errors.ts';
import { responsesErrors } from './openai-responses/errors.ts';
import type { ErrorDialect, Refusal } from './refusal.ts';

export type { ErrorDialect, Refusal } from './refusal.ts';

export const ERRORS: Readonly<Record<ProtocolId, ErrorDialect>> = {
  'anthropic-messages': anthropicErrors,
  'openai-responses': responsesErrors,
  'openai-chat': chatErrors,
  gemini: geminiErrors,
};

/** An answer in the form that a client of this protocol reads. */
export function refusalAnswer(
  protocol: ProtocolId,
  refusal: Refusal,
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const { status, retry, retryAfterSeconds } = refusal;
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-should-retry': String(retry),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: Buffer.from(ERRORS[protocol].body(refusal)),
  };
}

/** A call that got no answer. What does not mend itself is no 5xx: clients ask for those again and again. */
export function refusalOf({ code, message, retryable }: StreamError): Refusal {
  if (code === 'authentication') return { status: 401, message, retry: false };
  if (!retryable) return { status: 400, message, retry: false };
  return { status: code === 'timeout' ? 504 : 502, message, retry: true };
}

/** What a client probably speaks, by the path that it asked for. */
export function protocolOfPath(path: string): ProtocolId {
  if (/\/messages(?:\/|$)/.test(path)) return 'anthropic-messages';
  if (/:\w+$/.test(path)) return 'gemini';
  return /\/responses(?:\/|$)/.test(path) ? 'openai-responses' : 'openai-chat';
}
