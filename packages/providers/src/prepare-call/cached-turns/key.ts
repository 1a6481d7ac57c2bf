import { sha256 } from '@bough/core';
import { deploymentKey } from '../../deployment.ts';
import { protocolById } from '../../protocols/index.ts';
import { replaysThinking } from '../../protocols/replays-thinking.ts';
import type { CallTarget } from '../index.ts';

/**
 * Raised whenever the assembly, a rendering or a rulebook changes: what was cached before is then made and judged anew.
 * `version.test.ts` fails where that was forgotten.
 */
export const CACHE_VERSION = 1;

/** Where the turns that are cached for a model are kept: one for each node. */
export function cacheSlot({ provider, model }: Pick<CallTarget, 'provider' | 'model'>): string {
  return sha256(JSON.stringify([deploymentKey(provider.deployment), model])).slice(0, 16);
}

/** Names everything about a target that decides what a turn becomes, but for what the prefix names: system prompt and tools. */
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
  /** How many of its thoughts may go back. */
  readonly kept: number;
}

/** Everything that a cached turn depends on beside its own nodes: the target, what stands before it, and the way in which it is sent. */
export function turnKey(target: string, prefix: string, { side, kept }: Way): string {
  return `${target}:${prefix}:${side}:${kept}`;
}
