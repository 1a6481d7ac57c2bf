import type { NodeId, ProviderErrorCode, StreamError } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { streamError } from '../errors/index.ts';
import { listUrl, readPage } from '../models/list/read.ts';
import { protocolById } from '../protocols/index.ts';
import type { KeyProblem, Provider, ProviderInput } from '../provider.ts';
import { askJson } from '../transport/ask/index.ts';

/** What came of asking a provider whether it works. */
export interface ProviderCheck {
  /**
   * `works`; `no_key`: nothing was sent; `key_refused`; `no_permission`: the key is known, but may not do this, or has
   * no money left; `rate_limited`; `unreachable`: nobody answered at the address; `timeout`; `failing`: the provider
   * has trouble of its own; `not_found`: the address answers, but not as this kind of provider; `refused`: anything
   * else.
   */
  readonly outcome: CheckOutcome;
  /** How many models the provider lists; null if it lists none, or did not get that far. */
  readonly models: number | null;
  /** The provider's own words, or what happened to the connection; null if it works. Holds no secret. */
  readonly message: string | null;
}

export type CheckOutcome =
  | 'works'
  | 'no_key'
  | 'key_refused'
  | 'no_permission'
  | 'rate_limited'
  | 'unreachable'
  | 'timeout'
  | 'failing'
  | 'not_found'
  | 'refused';

export interface CheckInput {
  readonly deployment: Deployment;
  readonly key: string | null;
  readonly keyProblem: KeyProblem | null;
  readonly fetch: typeof globalThis.fetch;
  /** For a server without a list of models: the smallest request. */
  readonly provider: Pick<Provider, 'prepare' | 'send'>;
}

const TIMEOUT_MS = 15_000;

/**
 * The cheapest real request that proves address and key: the list of models, which costs nothing. A server without one
 * is asked for a reply of a few tokens. Never rejects.
 */
export async function checkProvider(input: CheckInput): Promise<ProviderCheck> {
  const { deployment, key, keyProblem } = input;
  if (keyProblem !== null) return { outcome: 'no_key', models: null, message: keyProblem.message };
  // fetch() would refuse such a header, and quote it.
  if (key !== null && !/^[\x21-\x7e]+$/.test(key)) {
    return failed(streamError('authentication', 'The key holds a space or a character that no key has.', false));
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const listed = await askFor(listUrl(deployment.protocol, deployment.baseUrl, null), input, signal);
  if (listed.type === 'none') {
    const { code, status } = listed.error;
    return code === 'not_found' || status === 405 ? smallestReply(input, signal) : failed(listed.error);
  }
  const page = readPage(deployment.protocol, listed.value);
  if (page === null) {
    const { host } = new URL(deployment.baseUrl);
    return failed(streamError('not_found', `${host} answered with something else than a list of models.`, false));
  }
  const { keyPath } = deployment;
  const asked = keyPath === undefined ? null : await askFor(`${deployment.baseUrl}${keyPath}`, input, signal);
  // A gateway in front of the vendor need not have that page.
  if (asked?.type === 'none' && asked.error.code !== 'not_found') return failed(asked.error);
  return { outcome: 'works', models: page.models.length, message: null };
}

function askFor(url: string, { deployment, key, fetch }: CheckInput, signal: AbortSignal) {
  const { readError } = protocolById(deployment.protocol);
  return askJson({ url, deployment, key, fetch, signal, readError });
}

/** OpenAI's Responses take no fewer. */
const FEWEST_TOKENS = 16;

async function smallestReply({ deployment, provider }: CheckInput, signal: AbortSignal): Promise<ProviderCheck> {
  const question: ProviderInput = {
    items: [
      {
        nodeIds: ['check' as NodeId],
        source: 'canonical',
        message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        reasoning: 'omit',
        partial: false,
        answeredCalls: [],
        synthetic: false,
      },
    ],
    systemPrompt: null,
    tools: [],
    toolChoice: 'auto',
    thinking: 'off',
    maxTokens: FEWEST_TOKENS,
    stream: true,
    model: deployment.defaultModel,
    rawOf: () => undefined,
  };
  const enough = new AbortController();
  const reply = provider.send(provider.prepare(question), { signal: AbortSignal.any([signal, enough.signal]) });
  let outcome: ProviderCheck | null = null;
  for await (const { events } of reply.batches) {
    const error = events.find((event) => event.type === 'error')?.error;
    outcome ??= error === undefined ? { outcome: 'works', models: null, message: null } : failed(error);
    // The first word proves it; the rest would only cost.
    enough.abort();
  }
  if (outcome === null || signal.aborted) {
    return failed(streamError('timeout', `${new URL(deployment.baseUrl).host} did not answer in time.`, true));
  }
  return outcome;
}

const BY_CODE: Readonly<Partial<Record<ProviderErrorCode, CheckOutcome>>> = {
  authentication: 'key_refused',
  permission: 'no_permission',
  rate_limit: 'rate_limited',
  network: 'unreachable',
  timeout: 'timeout',
  overloaded: 'failing',
  server: 'failing',
  not_found: 'not_found',
};

function failed({ code, message }: StreamError): ProviderCheck {
  return { outcome: BY_CODE[code] ?? 'refused', models: null, message };
}
