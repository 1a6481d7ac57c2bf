import { BoughError } from '@bough/core';
import type { Router, RouteRule } from '@bough/gateway';
import { createRouter, createTokens } from '@bough/gateway';
import type { Provider } from '@bough/providers';
import type { Store } from '@bough/store';
import { ConflictError } from '@bough/store';
import { randomBytes } from 'node:crypto';

export interface RouterInput {
  readonly rules: readonly RouteRule[];
  readonly providers: { readonly get: (id: string) => Provider };
  readonly store: Store;
}

/** The routes of this server. */
export async function openRouter({ rules, providers, store }: RouterInput): Promise<Router> {
  return createRouter({
    rules,
    store,
    tokens: createTokens(await secretOf(store)),
    now: () => new Date(),
    providerOf: (id) => {
      try {
        return providers.get(id);
      } catch (error) {
        if (error instanceof BoughError && error.code === 'unknown_provider') return undefined;
        throw error;
      }
    },
  });
}

const DOCUMENT = 'gateway-secret';

/** Made once, and the same for every server of this store: a client's token is known wherever it comes back. */
async function secretOf(store: Store): Promise<string> {
  const found = await store.getDocument(DOCUMENT);
  if (typeof found?.value === 'string') return found.value;
  try {
    const secret = randomBytes(32).toString('hex');
    await store.putDocument(DOCUMENT, secret, found?.version ?? 0);
    return secret;
  } catch (error) {
    // Another server started at the same moment.
    if (error instanceof ConflictError) return secretOf(store);
    throw error;
  }
}
