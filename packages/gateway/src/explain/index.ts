import type { Call, CallId } from '@bough/core';
import type { Price } from '@bough/providers';
import type { Store } from '@bough/store';
import { readBody } from '../dialects/index.ts';
import { pathModel } from '../record/offered-tools.ts';
import { rebuildBody } from '../record/rebuild.ts';
import type { CacheStory } from './cache.ts';
import { cacheStory } from './cache.ts';
import type { ReadableDifference } from './difference.ts';
import { bodyDifference } from './difference.ts';
import type { Earlier } from './previous.ts';
import { previousCall } from './previous.ts';
import type { ToldMiss } from './told.ts';
import { toldMiss } from './told.ts';

export type { CacheCause, CacheStory } from './cache.ts';
export type { ReadableDifference } from './difference.ts';
export type { ToldMiss } from './told.ts';

type Readable = Pick<Store, 'readContext' | 'getRaw'> & Earlier;

/** What came from a client, what left for it, and what became of the provider's cache. */
export interface Explained {
  /** Null if a part of it is gone, because somebody deleted the messages that it is stored with. */
  readonly came: string | null;
  /** The same as what came, where nothing was changed. */
  readonly sent: string | null;
  /** Null where both are the same to the byte, or one is gone. */
  readonly difference: ReadableDifference | null;
  /** What the client asked for; null if that is gone. */
  readonly askedModel: string | null;
  /** The request before it in the same conversation. */
  readonly previous: CallId | null;
  readonly cache: CacheStory;
  readonly told: ToldMiss | null;
}

/** Null for a call that did not come from a client. */
export async function explainCall(
  store: Readable,
  call: Call,
  priceOf: (call: Call) => Price | undefined,
): Promise<Explained | null> {
  const { exchange, projectId, nodeId } = call;
  if (exchange === undefined) return null;
  const came = await rebuildBody(store, projectId, call, 'came');
  const sent = exchange.sent === undefined ? came : await rebuildBody(store, projectId, call, 'sent');
  const before = await previousCall(store, call);
  const beforeBody = before === null ? null : await rebuildBody(store, projectId, before, 'sent');
  const raw = nodeId === null ? null : await store.getRaw(projectId, nodeId);
  const asked = came === null ? null : readBody(exchange.protocol, came, pathModel(exchange.path));
  return {
    came,
    sent,
    difference: came === null || sent === null || came === sent ? null : bodyDifference(came, sent),
    askedModel: asked?.model ?? null,
    previous: before?.id ?? null,
    cache: cacheStory(
      raw?.api ?? exchange.protocol,
      before === null ? null : { call: before, body: beforeBody },
      // Without its answer nobody knows in which protocol a routed request left.
      { call, body: raw === null && exchange.mode === 'route' ? null : sent },
      priceOf(call),
    ),
    told: raw === null ? null : toldMiss(raw),
  };
}
