import type { CallView } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';

const KNOWN = [
  'authentication',
  'permission',
  'rate_limit',
  'overloaded',
  'context_too_long',
  'history_rejected',
  'container_expired',
  'invalid_request',
  'not_found',
  'refusal',
  'network',
  'timeout',
  'malformed',
  'server',
] as const;

/** What went wrong, in the reader's language; null if it is nothing that Bough knows. */
export function replyError(code: string | null, t: Translator): string | null {
  const known = KNOWN.find((each) => each === code);
  return known === undefined ? null : t(`reply.error.${known}`);
}

/** Why the newest call of a reply failed or ended early; null if it did not. */
export function errorCodeOf(calls: readonly Pick<CallView, 'errorCode'>[]): string | null {
  return calls.at(-1)?.errorCode ?? null;
}
