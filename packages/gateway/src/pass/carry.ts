import type { Forwarded, ForwardedBody } from '@bough/providers';
import { ERRORS, refusalOf } from '../dialects/errors.ts';
import { peek, readAhead } from './ahead.ts';
import { towardsClient, towardsVendor } from './headers.ts';
import type { HeaderRecord } from './headers.ts';
import type { Outcome, Plan, Tap } from './hook.ts';
import { CLIENT_LEFT, refused, STOPPING, UNRECORDABLE } from './refusals.ts';
import { replyTo } from './reply.ts';
import type { Content, GatewayAnswer, Passage } from './request.ts';

export interface Recording {
  readonly tap: Tap;
  /** The client's own bytes, for a second try; null if there was one already. */
  readonly original: Content | null;
}

export interface CarryEnvironment {
  /** Told what could not be kept. True: the client must not get what is not recorded. */
  readonly onUnkept: (error: unknown) => boolean;
}

const MAX_REFUSAL = 1024 * 1024;
/** How far is read ahead while the store is busy. */
const AHEAD_BYTES = 256 * 1024;

/** Does what the hook says. */
export async function carryOut(
  plan: Plan | null,
  original: Content,
  passage: Passage,
  environment: CarryEnvironment,
  mayTryAgain = true,
): Promise<GatewayAnswer> {
  if (plan === null) return carry(original, passage, environment);
  if (plan.type === 'forward') {
    const content: Content = plan.body === undefined ? original : { bytes: plan.body, isChanged: true };
    return carry(content, passage, environment, { tap: plan.tap, original: mayTryAgain ? original : null });
  }
  const { status, headers, body } = plan;
  if (!(body instanceof Uint8Array)) return { status, headers, body: owned(body, passage.call.end) };
  passage.call.end();
  return { status, headers, body };
}

/** Sends a request on, and its reply back. */
export async function carry(
  content: Content,
  passage: Passage,
  environment: CarryEnvironment,
  recording: Recording | null = null,
): Promise<GatewayAnswer> {
  const { provider, protocol, call } = passage;
  const tap = recording?.tap ?? null;
  if (tap?.signal !== undefined) call.follow(tap.signal);
  const forwarded = await provider.forward({ ...departure(content, passage), signal: call.signal });
  if (forwarded.type !== 'answered') return unanswered(forwarded, passage, environment, tap);
  const { status } = forwarded;
  const headers = towardsClient(forwarded.headers);
  // What is recorded is read ahead from here on: its first words come while the request is still being stored.
  const body = tap === null ? forwarded.body : readAhead(forwarded.body, AHEAD_BYTES);
  const looked = await lookAtHead(status, headers, body, environment, tap);
  if (looked.type === 'unkept') {
    call.end();
    return refused(protocol, UNRECORDABLE);
  }
  if (looked.type === 'instead' && recording?.original !== null && recording?.original !== undefined) {
    forwarded.body.abandon();
    await tell(tap, { type: 'replaced' }, environment);
    return carryOut(looked.plan, recording.original, passage, environment, false);
  }
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  return {
    status,
    headers: { ...headers, ...tap?.headers },
    body: replyTo({
      body: looked.body,
      tap: looked.type === 'lost' ? null : tap,
      why: call.why,
      errorEvent: isStream ? (error) => ERRORS[protocol].event(refusalOf(error)) : null,
      onUnkept: environment.onUnkept,
      onOver: call.end,
    }),
  };
}

function departure({ bytes, length, isChanged = false }: Content, { request, address, keys }: Passage) {
  const { 'content-encoding': packing, ...headers } = towardsVendor(keys.headers);
  return {
    method: request.method,
    path: keys.query === '' ? address.path : `${address.path}?${keys.query}`,
    headers: {
      ...headers,
      ...(packing === undefined || isChanged ? {} : { 'content-encoding': packing }),
      ...(length === undefined ? {} : { 'content-length': length }),
    },
    hasKey: keys.isOwn,
    body: bytes,
  };
}

/** Nothing came back: the vendor could not be reached, or nobody waits any more. */
async function unanswered(
  forwarded: Exclude<Forwarded, { type: 'answered' }>,
  { protocol, call }: Passage,
  environment: CarryEnvironment,
  tap: Tap | null,
): Promise<GatewayAnswer> {
  const why = call.why();
  const outcome: Outcome = forwarded.type === 'failed' ? forwarded : { type: why ?? 'stopped' };
  await tell(tap, outcome, environment);
  call.end();
  if (forwarded.type === 'failed') return refused(protocol, refusalOf(forwarded.error));
  return refused(protocol, why === 'left' ? CLIENT_LEFT : STOPPING);
}

type Looked =
  | { readonly type: 'go_on' | 'lost'; readonly body: ForwardedBody }
  | { readonly type: 'instead'; readonly plan: Plan; readonly body: ForwardedBody }
  | { readonly type: 'unkept' };

/** Shows the beginning of a reply to the tap, a refusal with its words. */
async function lookAtHead(
  status: number,
  headers: HeaderRecord,
  body: ForwardedBody,
  environment: CarryEnvironment,
  tap: Tap | null,
): Promise<Looked> {
  if (tap?.head === undefined) return { type: 'go_on', body };
  const start = status >= 400 ? await peek(body, MAX_REFUSAL) : { bytes: null, body };
  try {
    const plan = await tap.head({ status, headers, refusal: start.bytes });
    return plan === null ? { type: 'go_on', body: start.body } : { type: 'instead', plan, body: start.body };
  } catch (error) {
    const mustRefuse = environment.onUnkept(error);
    await tell(tap, { type: 'lost' }, environment);
    if (!mustRefuse) return { type: 'lost', body: start.body };
    body.abandon();
    return { type: 'unkept' };
  }
}

async function tell(tap: Tap | null, outcome: Outcome, environment: CarryEnvironment): Promise<void> {
  try {
    await tap?.end(outcome);
  } catch (error) {
    environment.onUnkept(error);
  }
}

/** An iterable whose end is noticed, even if nobody ever begins to read it. */
function owned(body: AsyncIterable<Uint8Array>, onOver: () => void): AsyncIterableIterator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: async () => {
      try {
        const step = await iterator.next();
        if (step.done === true) onOver();
        return step;
      } catch (error) {
        onOver();
        throw error;
      }
    },
    return: async () => {
      try {
        await iterator.return?.();
      } finally {
        onOver();
      }
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
