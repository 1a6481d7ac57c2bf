import type { Deployment } from '../../deployment.ts';
import { connectionError, createRedactor } from '../../errors/index.ts';

export interface Question {
  readonly url: string;
  readonly deployment: Pick<Deployment, 'baseUrl' | 'headers' | 'authorize'>;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

export type Answer =
  | { readonly type: 'json'; readonly value: unknown }
  /** Why there is no answer, in words for people, without a secret. */
  | { readonly type: 'none'; readonly reason: string };

const MAX_BYTES = 32 * 1024 * 1024;

/** Asks a provider for a document that is not a reply, with its key. Never rejects. */
export async function askJson({ url, deployment, key, fetch, signal }: Question): Promise<Answer> {
  const { host, origin } = new URL(url);
  // The key belongs to the deployment's address and to no other.
  if (origin !== new URL(deployment.baseUrl).origin) return none(`${host} is not the address of this provider.`);
  const redact = createRedactor(key === null ? [] : [key]);
  try {
    const headers = { accept: 'application/json', ...deployment.headers };
    const secrets = key === null ? {} : deployment.authorize(key, { method: 'GET', url, headers, body: '' });
    // A redirect would carry the key to wherever it points.
    const response = await fetch(url, { headers: { ...headers, ...secrets }, redirect: 'manual', signal });
    const text = response.ok ? await readAll(response) : null;
    if (text === null) {
      await response.body?.cancel();
      return none(`${host} answered with ${response.status}.`);
    }
    return { type: 'json', value: JSON.parse(text) };
  } catch (error) {
    if (signal.aborted) return none(`${host} did not answer in time.`);
    if (error instanceof SyntaxError) return none(`${host} answered with something else than JSON.`);
    return none(redact(connectionError(error, host).message));
  }
}

function none(reason: string): Answer {
  return { type: 'none', reason };
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
