import { BoughError } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Asked } from './address/index.ts';
import { askedBy, readAddress } from './address/index.ts';
import { protocolOfPath } from './dialects/errors.ts';
import { carry } from './pass/carry.ts';
import type { ConversationHook } from './pass/hook.ts';
import { sortKeys } from './pass/keys.ts';
import { asItComes, offer, passUnread } from './pass/offer.ts';
import {
  asksItself,
  CLIENT_LEFT,
  INTERNAL,
  NO_TOKEN,
  NO_WEBSOCKET,
  nowhere,
  refused,
  STOPPING,
  unknownProvider,
  wrongMethod,
} from './pass/refusals.ts';
import type { ClientRequest, GatewayAnswer, Passage } from './pass/request.ts';
import type { Running } from './pass/running.ts';
import { createRunning } from './pass/running.ts';

export type GatewayEvent =
  /** A request that goes to a provider, recorded or not. */
  | { readonly type: 'asked'; readonly provider: string; readonly operation: string; readonly userAgent: string }
  /** A conversation that passed without being recorded, or only in part, although it should have been. */
  | { readonly type: 'unrecorded'; readonly why: 'store' | 'too_large' | 'unreadable'; readonly message: string }
  /** The gateway itself failed. */
  | { readonly type: 'problem'; readonly message: string };

export interface GatewayEnvironment {
  readonly providers: {
    /** Throws for an id that it does not know. */
    readonly get: (id: string) => Provider;
    readonly list: () => readonly Provider[];
  };
  /** Null where none is required. */
  readonly isToken: ((text: string) => boolean) | null;
  /** Absent: nothing is recorded. */
  readonly hook?: ConversationHook | undefined;
  /** `pass` lets a conversation through that cannot be recorded; `refuse` does not. */
  readonly whenStoreFails?: 'pass' | 'refuse' | undefined;
  /** The longest conversation that is recorded, in bytes. */
  readonly maxBody?: number | undefined;
  readonly observe?: ((event: GatewayEvent) => void) | undefined;
}

export interface Gateway {
  /** Never rejects. */
  readonly handle: (request: ClientRequest) => Promise<GatewayAnswer>;
  readonly running: () => number;
  /** Takes no more requests, waits for those that run, then ends the rest and tells their clients. */
  readonly stop: (graceMs: number) => Promise<void>;
}

const MAX_BODY = 64 * 1024 * 1024;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Clients ask there whether anybody is listening, without a key. */
const HELLO = /^\/(?:api\/hello)?$/;

export function createGateway(environment: GatewayEnvironment): Gateway {
  const running = createRunning();
  return {
    running: running.count,
    stop: running.stop,
    handle: async (request) => {
      try {
        return await enter(request, environment, running);
      } catch (error) {
        const protocol = protocolOfPath(request.url.replace(/\?.*$/s, ''));
        if (request.signal.aborted) return refused(protocol, CLIENT_LEFT);
        environment.observe?.({ type: 'problem', message: messageOf(error) });
        return refused(protocol, INTERNAL);
      }
    },
  };
}

/** Who may pass, and where to. */
async function enter(
  request: ClientRequest,
  environment: GatewayEnvironment,
  running: Running,
): Promise<GatewayAnswer> {
  const { method, url, headers } = request;
  const { providers, isToken } = environment;
  const address = readAddress(url);
  const guess = protocolOfPath(address?.path ?? '');
  // Codex falls back to plain HTTP at once on this status, and only after many attempts on any other.
  if (/\bwebsocket\b/i.test(headers['upgrade'] ?? '')) return refused(guess, NO_WEBSOCKET);
  if (address === null) return /^\/gateway\/?(?:\?|$)/.test(url) ? HELLO_ANSWER : refused(guess, nowhere(url));
  const known = find(address.provider, environment);
  const isHello = (method === 'GET' || method === 'HEAD') && HELLO.test(address.path);
  if (known !== null && isHello) return HELLO_ANSWER;
  const keys = sortKeys(headers, address.query, isToken ?? never);
  if (isToken !== null && !keys.hasToken) return { ...refused(guess, NO_TOKEN), isWrongToken: keys.isOffered };
  if (known === null) return refused(guess, unknownProvider(address.provider, providers.list()));
  if (!METHODS.has(method)) return refused(guess, wrongMethod(method));
  const asked = askedBy(method, address.path);
  const provider = speaking(asked, known, environment);
  const protocol = asked.protocol ?? provider.deployment.protocol;
  if (leadsHere(provider, headers['host'])) return refused(protocol, asksItself(provider));
  const call = running.begin(request.signal);
  if (call === null) return refused(protocol, STOPPING);
  try {
    return await pass({ request, address, keys, asked, provider, protocol, call }, environment);
  } catch (error) {
    call.end();
    throw error;
  }
}

function find(id: string, { providers }: GatewayEnvironment): Provider | null {
  try {
    return providers.get(id);
  } catch (error) {
    if (error instanceof BoughError && error.code === 'unknown_provider') return null;
    throw error;
  }
}

const never = (): boolean => false;

const HELLO_ANSWER: GatewayAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"service":"bough gateway"}\n'),
};

function pass(passage: Passage, environment: GatewayEnvironment): Promise<GatewayAnswer> {
  const { request, provider, asked, protocol } = passage;
  const { hook, whenStoreFails = 'pass', maxBody = MAX_BODY, observe } = environment;
  const { id, protocol: spoken } = provider.deployment;
  const userAgent = request.headers['user-agent'] ?? '';
  observe?.({ type: 'asked', provider: id, operation: asked.operation, userAgent });
  const onUnkept = (error: unknown): boolean => {
    observe?.({ type: 'unrecorded', why: 'store', message: messageOf(error) });
    return whenStoreFails === 'refuse';
  };
  if (hook === undefined || asked.operation === 'other') return carry(asItComes(request), passage, { onUnkept });
  const onUnread = (why: 'too_large' | 'unreadable'): void =>
    observe?.({
      type: 'unrecorded',
      why,
      message:
        why === 'too_large'
          ? `The request has more than ${maxBody} bytes.`
          : `A request to ${id} is packed or written in a way that is not understood here.`,
    });
  // A vendor may speak more than is known of it here.
  if (protocol !== spoken) return passUnread(asItComes(request), passage, { onUnkept, onUnread });
  return offer(passage, { hook, maxBody, onUnread, onUnkept });
}

/**
 * One vendor may be two deployments, one per protocol. A client that asks the one for what the other speaks means the
 * vendor: the address is the same, and what is recorded is recorded as what it is.
 */
function speaking({ protocol }: Asked, provider: Provider, { providers }: GatewayEnvironment): Provider {
  const { protocol: spoken, baseUrl } = provider.deployment;
  if (protocol === null || protocol === spoken) return provider;
  const isMeant = ({ deployment }: Provider): boolean =>
    deployment.protocol === protocol && deployment.baseUrl === baseUrl;
  return providers.list().find(isMeant) ?? provider;
}

/** A deployment whose address is this server's gateway would ask itself without end. */
function leadsHere({ deployment }: Provider, host = ''): boolean {
  const there = new URL(deployment.baseUrl);
  if (!/^\/gateway(?:\/|$)/.test(there.pathname) || !URL.canParse(`http://${host}`)) return false;
  const here = new URL(`http://${host}`);
  const isLocal = ({ hostname }: URL): boolean => /^(?:localhost$|127\.|\[::1\])/.test(hostname);
  return there.port === here.port && (there.hostname === here.hostname || (isLocal(there) && isLocal(here)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
