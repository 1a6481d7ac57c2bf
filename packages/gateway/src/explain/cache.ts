import type { Call, ProtocolId } from '@bough/core';
import { estimateTokens } from '@bough/core';
import type { Price } from '@bough/providers';
import { costOf } from '@bough/providers';
import { firstDifference, prefixOf } from './prefix.ts';

/** Why a request found less in the provider's cache than the one before had put there. */
export type CacheCause =
  /** Nothing came before it in this conversation. */
  | { readonly kind: 'first' }
  /** It found what there was. */
  | { readonly kind: 'hit' }
  | { readonly kind: 'model'; readonly name: string }
  /** Another tool, another system prompt, another setting, another message: what differs first. */
  | { readonly kind: 'tools' | 'settings' | 'message'; readonly name: string; readonly at: number }
  | { readonly kind: 'system'; readonly at: number }
  /** This provider caches only what is marked. */
  | { readonly kind: 'unmarked' }
  /** More blocks were added than the provider looks back from a mark. */
  | { readonly kind: 'far'; readonly blocks: number }
  | { readonly kind: 'short' }
  | { readonly kind: 'expired'; readonly minutes: number }
  /** Nothing that Bough can see: the request goes on from the one before. */
  | { readonly kind: 'provider' }
  /** The provider did not count, or a part of the bodies is gone. */
  | { readonly kind: 'unknown' };

export interface CacheStory {
  readonly cause: CacheCause;
  /** Tokens that were read anew although the request before had brought them; null if nobody knows. */
  readonly lostTokens: number | null;
  /** The provider gave no counts: the tokens are estimated from the text. */
  readonly isEstimated: boolean;
  /** What that cost, in US dollars; null without a price. */
  readonly lostCost: number | null;
  /** What reading from the cache saved in this call; null without a price. */
  readonly savedCost: number | null;
}

export interface CachedRequest {
  readonly call: Pick<Call, 'model' | 'usage' | 'startedAt'>;
  /** The body that was sent; null if a part of it is gone. */
  readonly body: string | null;
}

interface Habits {
  /** Shorter prefixes are not cached. The newest models of a vendor may cache less. */
  readonly least: number;
  readonly keptMinutes: number;
  /** How far the provider looks back from a mark; null where it needs none. */
  readonly lookback: number | null;
}

const HABITS: Readonly<Record<ProtocolId, Habits>> = {
  'anthropic-messages': { least: 1_024, keptMinutes: 5, lookback: 20 },
  'openai-responses': { least: 1_024, keptMinutes: 30, lookback: null },
  'openai-chat': { least: 1_024, keptMinutes: 30, lookback: null },
  gemini: { least: 2_048, keptMinutes: 5, lookback: null },
};

/** Providers cache in steps, and count a little differently each time: less than this is no loss. */
const SMALLEST_LOSS = 256;

/** What became of the cache between two requests of one conversation. */
export function cacheStory(
  protocol: ProtocolId,
  before: CachedRequest | null,
  now: CachedRequest,
  price: Price | undefined,
): CacheStory {
  const { usage } = now.call;
  const savedCost = savedBy(now.call, price);
  const nothing = { lostTokens: null, isEstimated: false, lostCost: null, savedCost };
  if (before === null) return { ...nothing, cause: { kind: 'first' }, lostTokens: 0, lostCost: 0 };
  const read = usage?.cachedInputTokens;
  const reusable = Math.min(before.call.usage?.inputTokens ?? 0, usage?.inputTokens ?? 0);
  const lost = read === undefined ? null : Math.max(0, reusable - read);
  const isSmall = lost !== null && lost < Math.max(SMALLEST_LOSS, reusable / 10);
  if (isSmall && (read ?? 0) > 0)
    return { ...nothing, cause: { kind: 'hit' }, lostTokens: lost, lostCost: lostBy(now, lost, price) };
  const { cause, behind } = causeOf(protocol, before, now, reusable);
  // Without marks, or too short, it was never there to be lost.
  if (cause.kind === 'unmarked' || cause.kind === 'short') return { ...nothing, cause, lostTokens: 0, lostCost: 0 };
  if (lost !== null) return { ...nothing, cause, lostTokens: lost, lostCost: lostBy(now, lost, price) };
  return { ...nothing, cause, lostTokens: behind, isEstimated: behind !== null };
}

interface Found {
  readonly cause: CacheCause;
  /** About how many tokens follow the place; null if there is none. */
  readonly behind: number | null;
}

function causeOf(protocol: ProtocolId, before: CachedRequest, now: CachedRequest, reusable: number): Found {
  const nowhere = (cause: CacheCause): Found => ({ cause, behind: null });
  if (before.call.model !== now.call.model) return nowhere({ kind: 'model', name: before.call.model });
  if (before.body === null || now.body === null) return nowhere({ kind: 'unknown' });
  const { least, keptMinutes, lookback } = HABITS[protocol];
  const isCounted = now.call.usage?.cachedInputTokens !== undefined;
  // What was never in the cache cannot have been lost by a change.
  if (lookback !== null && !(isMarked(before.body) && isMarked(now.body))) return nowhere({ kind: 'unmarked' });
  if (isCounted && reusable < least) return nowhere({ kind: 'short' });
  const old = prefixOf(protocol, before.body);
  const parts = prefixOf(protocol, now.body);
  if (old === null || parts === null) return nowhere({ kind: 'unknown' });
  const differs = firstDifference(old, parts);
  if (differs !== null) {
    const from = old.findIndex(({ kind, at }) => kind === differs.kind && at === differs.at);
    const behind = from < 0 ? 0 : old.slice(from).reduce((sum, { text }) => sum + estimateTokens(text), 0);
    const { kind, name, at } = differs;
    return { cause: kind === 'system' ? { kind, at } : { kind, name, at }, behind };
  }
  if (!isCounted) return nowhere({ kind: 'unknown' });
  const minutes = (Date.parse(now.call.startedAt) - Date.parse(before.call.startedAt)) / 60_000;
  const kept = LONG_LIFE.test(now.body) ? 60 : keptMinutes;
  if (minutes > kept) return nowhere({ kind: 'expired', minutes: Math.round(minutes) });
  const blocks = parts.length - old.length;
  if (lookback !== null && blocks > lookback) return nowhere({ kind: 'far', blocks });
  return nowhere({ kind: 'provider' });
}

const isMarked = (body: string): boolean => body.includes('"cache_control"');
const LONG_LIFE = /"ttl"\s*:\s*"1h"/;

/** What tokens cost that could have been read from the cache. */
function lostBy({ call: { usage } }: CachedRequest, lost: number, price: Price | undefined): number | null {
  if (lost === 0) return 0;
  const paid = costOf(usage, price);
  if (paid === null || usage === null || price?.cachedInput === undefined) return null;
  const { cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const written = Math.max(0, cacheWriteTokens - lost);
  const cheaper = costOf({ ...usage, cachedInputTokens: cachedInputTokens + lost, cacheWriteTokens: written }, price);
  return cheaper === null ? null : Math.max(0, paid - cheaper);
}

function savedBy({ usage }: CachedRequest['call'], price: Price | undefined): number | null {
  const paid = costOf(usage, price);
  if (paid === null || usage === null || price?.cachedInput === undefined) return null;
  const { cachedInputTokens: _, ...rest } = usage;
  const full = costOf(rest, price);
  return full === null ? null : Math.max(0, full - paid);
}
