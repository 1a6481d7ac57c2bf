import { BoughError } from '@bough/core';

/**
 * What can be made to go wrong, by name. One grammar for the three ways to ask for it: a message (`/sim fault cut 7`),
 * the header `x-simulator-fault: cut 7`, and `POST /__simulator/faults`.
 */
export type Fault =
  /** The connection is destroyed before anything is answered. */
  | { readonly type: 'drop' }
  /** The connection is destroyed after this many events. */
  | { readonly type: 'cut'; readonly after: number }
  /** The provider's own error event after this many events, then the end. */
  | { readonly type: 'error'; readonly after: number; readonly kind: 'overloaded' | 'server' }
  /** An HTTP error in the provider's envelope. */
  | { readonly type: 'status'; readonly status: number; readonly retryAfterSeconds: number | null }
  /** Silence after this many events: for some milliseconds, or (null) until the client gives up. */
  | { readonly type: 'stall'; readonly after: number; readonly ms: number | null }
  /** Bytes that are neither UTF-8 nor JSON, after this many events. */
  | { readonly type: 'garbage'; readonly after: number }
  /** The right bytes, torn at random places. */
  | { readonly type: 'rechunk'; readonly seed: number }
  /** This many pieces of white space first, as gateways send while they wait for the model. */
  | { readonly type: 'pad'; readonly pieces: number }
  /** A pause after every event. */
  | { readonly type: 'pace'; readonly ms: number };

/** A fault and when it strikes. */
export interface FaultOrder {
  readonly fault: Fault;
  /** How many matching requests it strikes; null is all of them. */
  readonly times: number | null;
  /** Only the n-th call of a turn (1 is the first, 2 the one after the first tool results); null is every call. */
  readonly call: number | null;
}

/** Words that name no fault. The message lists the faults that exist. */
export class UnknownFaultError extends BoughError {
  constructor(words: string) {
    super('unknown_fault', `"${words}" is not a fault. Known: ${FAULT_FORMS.map(([form]) => form).join(', ')}.`);
  }
}

export const FAULT_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ['cut N', 'break the connection after N events'],
  ['error [N] [server]', 'send an error event after N events: overloaded, or a server error'],
  ['429 [SECONDS]', 'rate limit, with Retry-After'],
  ['500', 'server error'],
  ['503', 'service unavailable'],
  ['529', 'overloaded'],
  ['400, 401, 403, 404, 413', 'any other HTTP error'],
  ['stall [N] [MS]', 'fall silent after N events'],
  ['garbage [N]', 'send malformed bytes after N events'],
  ['rechunk [SEED]', 'tear the stream at random byte borders'],
  ['pad [N]', 'send N pieces of white space first'],
  ['drop', 'close the connection without an answer'],
];

const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Reads `cut 7`, `429 2 x1`, `error 3 server call 2`. Throws UnknownFaultError. */
export function parseFault(text: string): FaultOrder {
  const words = text.trim().toLowerCase().split(/\s+/);
  const times = takeTimes(words);
  const call = takeCall(words);
  const fault = readFault(words);
  if (fault === null) throw new UnknownFaultError(text.trim());
  return { fault, times, call };
}

function readFault(words: readonly string[]): Fault | null {
  const [name, ...rest] = words;
  const numbers = rest.filter((word) => /^\d+$/.test(word)).map(Number);
  const after = numbers[0] ?? 1;
  switch (name) {
    case 'drop':
      return { type: 'drop' };
    case 'cut':
      return { type: 'cut', after };
    case 'error':
      return { type: 'error', after, kind: rest.includes('server') ? 'server' : 'overloaded' };
    case 'overload':
      return { type: 'status', status: 529, retryAfterSeconds: null };
    case 'stall':
      return { type: 'stall', after, ms: numbers[1] ?? null };
    case 'garbage':
      return { type: 'garbage', after };
    case 'pad':
      return { type: 'pad', pieces: after };
    case 'rechunk':
      return { type: 'rechunk', seed: numbers[0] ?? 1 };
    case undefined:
      return null;
    default:
      return readStatus(name, numbers[0]);
  }
}

function readStatus(word: string, seconds: number | undefined): Fault | null {
  const status = Number(word);
  if (!Number.isInteger(status) || status < 400 || status > 599) return null;
  return {
    type: 'status',
    status,
    retryAfterSeconds: seconds ?? (status === 429 ? DEFAULT_RETRY_AFTER_SECONDS : null),
  };
}

/** Takes `x2` out of the words. */
function takeTimes(words: string[]): number | null {
  const index = words.findIndex((word) => /^x\d+$/.test(word));
  if (index === -1) return null;
  const [word = ''] = words.splice(index, 1);
  return Number(word.slice(1));
}

/** Takes `call 2` out of the words. */
function takeCall(words: string[]): number | null {
  const index = words.indexOf('call');
  if (index === -1 || !/^\d+$/.test(words[index + 1] ?? '')) return null;
  const [, number] = words.splice(index, 2);
  return Number(number);
}
