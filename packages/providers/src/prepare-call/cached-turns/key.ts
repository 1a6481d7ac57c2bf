import type { CachedTurn, NodeId, Thought } from '@bough/core';
import { sha256 } from '@bough/core';
import { deploymentKey } from '../../deployment.ts';
import { protocolById } from '../../protocols/index.ts';
import { replaysThinking } from '../../protocols/replays-thinking.ts';
import type { CallTarget } from '../index.ts';

/**
 * Another one whenever the assembly, a rendering or a rulebook is another one: what was cached before is then made and
 * judged anew. `version.test.ts` says what it has to be.
 */
export const CACHE_VERSION = '5f224f0c6c9b';

/** Where the turns that are cached for a model are kept: one for each node. */
export function cacheSlot({ provider, model }: Pick<CallTarget, 'provider' | 'model'>): string {
  return sha256(JSON.stringify([deploymentKey(provider.deployment), model])).slice(0, 16);
}

/**
 * Names everything about a target that decides what a turn becomes, but for what the prefix names: system prompt and
 * tools.
 */
export function targetKey({ provider, model, tools, thinking, keepToolsAfterBreak }: CallTarget): string {
  const { deployment } = provider;
  const info = provider.modelInfo(model);
  const manner = protocolById(deployment.protocol).manner?.({ tools, thinking, model: info, deployment }) ?? '';
  return sha256(
    JSON.stringify([
      CACHE_VERSION,
      deployment.protocol,
      deployment.id,
      deploymentKey(deployment),
      deployment.headers,
      deployment.quirks,
      info,
      replaysThinking(deployment, info),
      keepToolsAfterBreak ?? false,
      manner,
    ]),
  );
}

/** Where a turn stands relative to the model break: it decides whether its replies go as they are or as text. */
export type Side = 'before' | 'across' | 'behind';

/** How a turn is sent, beside what its target says. */
export interface Way {
  readonly side: Side;
  /** Which of its thoughts go back, of those that could: a digit for each. */
  readonly kept: string;
}

// Both are hashes of one length. The key of a cached turn is taken apart instead of made again, a thousand times for a
// request.
const HASH = 64;
const WAY = 2 * HASH + 2;

/**
 * Everything that a cached turn depends on beside its own nodes: the target, what stands before it, and the way in
 * which it is sent.
 */
export function turnKey(target: string, prefix: string, way: Way): string {
  return `${target}:${prefix}:${written(way)}`;
}

const written = ({ side, kept }: Way): string => `${side}:${kept}`;

/** Whether a turn was made for this target, behind what has this prefix key. */
export function isOf({ key }: CachedTurn, target: string, prefix: string): boolean {
  return key.startsWith(target) && key.startsWith(prefix, HASH + 1);
}

export function isSentSo({ key }: CachedTurn, way: Way): boolean {
  return key.startsWith(written(way), WAY) && key.length === WAY + written(way).length;
}

/** Which thoughts of the turn go back. */
export function keptIn({ key }: CachedTurn): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

/** A digit for each thought: whether it is among those that go back. */
export function keptFlags(thoughts: readonly Thought[], kept: ReadonlySet<NodeId>): string {
  return thoughts.map(({ nodeId }) => (kept.has(nodeId) ? '1' : '0')).join('');
}
