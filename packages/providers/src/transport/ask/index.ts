import type { StreamError } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { codeOfStatus, connectionError, createRedactor, streamError } from '../../errors/index.ts';
import type { Protocol } from '../../protocol.ts';

export interface Question {
  readonly url: string;
  readonly deployment: Pick<Deployment, 'baseUrl' | 'headers' | 'authorize'>;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Reads what the provider says about an error; without it only the status counts. */
  readonly readError?: Protocol['readError'];
}

export type Answer =
  | { readonly type: 'json'; readonly value: unknown }
  /** Why there is no answer: in words for people, without a secret, and as an error to decide by. */
  | { readonly type: 'none'; readonly reason: string; readonly error: StreamError };

const MAX_BYTES = 32 * 1024 * 1024;
const MIN_SECRET_LENGTH = 12;
const MAX_ERROR_BYTES = 64 * 1024;

/** Asks a provider for a document that is not a reply, with its key. Never rejects. */
export async function askJson({ url, deployment, key, fetch, signal, readError }: Question): Promise<Answer> {
  const { host, origin } = new URL(url);
  // The key belongs to the deployment's address and to no other.
  if (origin !== new URL(deployment.baseUrl).origin) {
    return none(streamError('invalid_request', `${host} is not the address of this provider.`, false));
  }
  // A gateway's header may be as secret as a key; a short one is a version or a name.
  const headerSecrets = Object.values(deployment.headers).filter((value) => value.length >= MIN_SECRET_LENGTH);
  const redact = createRedactor([...(key === null ? [] : [key]), ...headerSecrets]);
  try {
    const headers = { accept: 'application/json', ...deployment.headers };
    const secrets = key === null ? {} : deployment.authorize(key, { method: 'GET', url, headers, body: '' });
    // A redirect would carry the key to wherever it points.
    const response = await fetch(url, { headers: { ...headers, ...secrets }, redirect: 'manual', signal });
    if (response.ok) return { type: 'json', value: JSON.parse(await readAll(response)) };
    const status = streamError(codeOfStatus(response.status), `${host} answered with ${response.status}.`, false);
    const isRefusal = readError !== undefined && response.status >= 400;
    const error = isRefusal ? readError(response.status, await readStart(response)) : status;
    if (!isRefusal) await response.body?.cancel();
    return none({ ...error, message: redact(error.message), status: response.status }, status.message);
  } catch (error) {
    if (signal.aborted) return none(streamError('timeout', `${host} did not answer in time.`, true));
    if (error instanceof SyntaxError) {
      return none(streamError('malformed', `${host} answered with something else than JSON.`, false));
    }
    const failed = connectionError(error, host);
    return none({ ...failed, message: redact(failed.message) });
  }
}

function none(error: StreamError, reason: string = error.message): Answer {
  return { type: 'none', reason, error };
}

/** The beginning of an error; one that breaks off is as good as a short one. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= MAX_ERROR_BYTES) break;
  }
  return text;
}

/** A list without an end must not fill the memory. */
async function readAll(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new SyntaxError('The answer is too long.');
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
