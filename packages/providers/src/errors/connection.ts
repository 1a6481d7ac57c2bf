import type { ProviderErrorCode, StreamError } from '@bough/core';
import type { GuardCause } from '../transport/guard/index.ts';
import { PRIVATE_ADDRESS } from '../transport/public-fetch/refused.ts';

/** Node's own fetch ended the attempt because of its own limit. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** What a person can do about a failed connection. Codes without a line here are reported as they are. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Is the server running?',
  ENOTFOUND: 'the name is unknown. Check the base URL and the network.',
  EAI_AGAIN: 'the name could not be looked up. Check the network.',
  ECONNRESET: 'the connection was reset.',
  UND_ERR_SOCKET: 'the connection was closed.',
  EPIPE: 'the connection was closed.',
};

/** Retrying does not fix certificates. */
const CERTIFICATE = /CERT|SIGNATURE|SELF_SIGNED/;

/** Why fetch or a read failed, in our words: the engine decides by the code, a person reads the sentence. */
export function connectionError(error: unknown, host: string): StreamError {
  const code = causeCode(error);
  if (code !== null && TIMEOUT_CODES.has(code)) {
    return streamError('timeout', `${host} did not answer in time (${code}).`, true);
  }
  if (code !== null && CERTIFICATE.test(code)) {
    return streamError('network', `The certificate of ${host} is not accepted (${code}).`, false);
  }
  if (code === PRIVATE_ADDRESS) {
    const advice =
      'it is on this machine or in a private network. Only addresses of the environment and the configuration file may be.';
    return streamError('network', `Cannot reach ${host}: ${advice}`, false);
  }
  const advice = code === null ? messageOf(error) : (ADVICE[code] ?? `${code}.`);
  return streamError('network', `Cannot reach ${host}: ${advice}`, true);
}

export function timeoutError(cause: Extract<GuardCause, { type: 'timeout' }>, host: string): StreamError {
  const seconds = `${cause.ms / 1_000} s`;
  switch (cause.phase) {
    case 'connect':
      return streamError('timeout', `No connection to ${host} within ${seconds}.`, true);
    case 'first byte':
      return streamError('timeout', `${host} sent nothing within ${seconds}.`, true);
    case 'silence':
      return streamError('timeout', `${host} fell silent for ${seconds} in the middle of its reply.`, true);
  }
}

export function streamError(code: ProviderErrorCode, message: string, retryable: boolean): StreamError {
  return { code, message, retryable };
}

/** The system's code, which fetch hides one or two causes deep; an AggregateError holds it in its first member. */
function causeCode(error: unknown): string | null {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    const members: readonly unknown[] = current instanceof AggregateError ? current.errors : [];
    current = current.cause ?? members[0];
  }
  return null;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
