import type { StreamError } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { Redact } from '../errors/index.ts';
import { createRedactor, streamError } from '../errors/index.ts';
import type { PreparedRequest, Protocol } from '../protocol.ts';
import type { KeyProblem, Reply, SendOptions } from '../provider.ts';
import { objectionIn } from '../rulebook/rule.ts';
import { Collector } from './collect/index.ts';
import { unusableKey } from './key.ts';
import type { SecretOf } from '../secrets/index.ts';
import type { Settings } from './options.ts';
import { startReply } from './reply/index.ts';

export interface SendInput {
  readonly request: PreparedRequest;
  readonly deployment: Deployment;
  readonly protocol: Protocol;
  readonly key: string | null;
  readonly keyProblem: KeyProblem | null;
  readonly signal: AbortSignal;
  readonly onPause?: SendOptions['onPause'];
  readonly readBlob?: SendOptions['readBlob'];
  readonly secretOf: SecretOf;
  readonly settings: Settings;
}

/**
 * Adds the key and sends. A request that must not be sent is answered with an error instead, in the form of a reply.
 */
export function send(input: SendInput): Reply {
  const { request, deployment, protocol, key, signal, settings } = input;
  // Whatever a server is shown may come back in what it complains about.
  const shown = new Set(key === null ? [] : [key]);
  const redact: Redact = (text) => createRedactor([...shown])(text);
  const secretOf: SecretOf = (name, url) => {
    if (request.secrets?.includes(name) !== true) return { problem: 'No tool of the request is shown that secret.' };
    const found = input.secretOf(name, url);
    if ('secret' in found) shown.add(found.secret);
    return found;
  };
  const objection = objectionTo(input);
  if (objection !== null) return refusedReply(request, protocol, objection, settings);
  return startReply({
    call: {
      url: request.url,
      headers: () => ({ ...request.headers, ...(key === null ? {} : deployment.authorize(key, request)) }),
      body: request.pieces ?? request.body,
      protocol,
      signal,
      onPause: input.onPause,
      readBlob: input.readBlob,
      secretOf,
      settings,
    },
    issuer: request.issuer,
    redact,
  });
}

/** Why a request must not be sent. */
function objectionTo({ request, deployment, key, keyProblem }: SendInput): StreamError | null {
  const broken = objectionIn(request.violations);
  if (broken !== undefined) {
    const message = `The request breaks ${broken.rule} at ${broken.path} and was not sent: ${broken.message}`;
    return streamError('invalid_request', message, false);
  }
  // A request prepared for another address must not take this deployment's key there.
  if (new URL(request.url).origin !== new URL(deployment.baseUrl).origin) {
    return streamError('invalid_request', `The request was prepared for another address than ${deployment.id}.`, false);
  }
  if (keyProblem !== null) return streamError('authentication', keyProblem.message, false);
  return unusableKey(key, deployment);
}

function refusedReply(request: PreparedRequest, protocol: Protocol, error: StreamError, { clock }: Settings): Reply {
  const capturedAt = new Date(clock.now()).toISOString();
  const collector = new Collector({
    protocol,
    issuer: request.issuer,
    redact: (text) => text,
    capturedAt: () => capturedAt,
  });
  return {
    batches: (async function* refused() {
      yield collector.finish({ type: 'failed', error });
    })(),
    head: Promise.resolve({ providerRequestId: null, retryAfterMs: null }),
    raw: () => collector.raw(),
  };
}
