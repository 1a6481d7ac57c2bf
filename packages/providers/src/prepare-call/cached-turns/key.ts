import type { CachedTurn, Choices, NodeId, Thought } from '@bough/core';
import { marksOf, sha256 } from '@bough/core';
import { deploymentKey } from '../../deployment.ts';
import { protocolById } from '../../protocols/index.ts';
import { replaysThinking } from '../../protocols/replays-thinking.ts';
import type { CallTarget } from '../index.ts';

/**
 * Changes whenever the assembly, a rendering or a rulebook changes: what was cached before is then rebuilt and checked
 * again. `version.test.ts` says what it has to be.
 */
export const CACHE_VERSION = '8aed90a78239';

/**
 * Where the cached turns for a model are kept: one per node. Those behind a summary have a place of their own, which
 * names those before it, too: what was thought behind them may go back with it or not.
 */
export function cacheSlot({
  provider,
  model,
  summary,
  earlierSummaries = [],
}: Pick<CallTarget, 'provider' | 'model' | 'summary' | 'earlierSummaries'>): string {
  const behind = summary === undefined ? [] : [marksOf(summary), ...earlierSummaries.map(marksOf)];
  return sha256(JSON.stringify([deploymentKey(provider.deployment), model, ...behind])).slice(0, 16);
}

/**
 * Names everything about a target that decides what a turn becomes, except for what the prefix names: system prompt and
 * tools.
 */
export function targetKey(target: CallTarget): string {
  const { provider, model, tools, thinking, replayBy, mayShareReasoning, keepToolsAfterBreak, filesOtherwise } = target;
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
      replayBy ?? 'issuer',
      mayShareReasoning ?? true,
      keepToolsAfterBreak ?? false,
      filesOtherwise ?? 'text',
      manner,
    ]),
  );
}

/**
 * Which side of the model break a turn is on: by break, that decides whether its replies are sent unchanged or as text.
 * By issuer it decides nothing, and every turn counts as one behind it.
 */
export type Side = 'before' | 'across' | 'behind';

/** How a turn is sent, in addition to what its target says. */
export interface Way {
  readonly side: Side;
  /** Names what was chosen about its messages, as `choicesIn` does. */
  readonly chosen: string;
  /** Which of the thoughts that could be sent back are: one digit each. */
  readonly kept: string;
}

// Both are hashes of the same length. The key of a cached turn is split instead of being built again, a thousand times
// per request.
const HASH = 64;
const WAY = 2 * HASH + 2;

/**
 * Everything that a cached turn depends on besides its own nodes: the target, what precedes it, and how it is sent.
 */
export function turnKey(target: string, prefix: string, way: Way): string {
  return `${target}:${prefix}:${written(way)}`;
}

const written = ({ side, chosen, kept }: Way): string => `${side}${chosen}:${kept}`;

/**
 * What was left out of the nodes with these marks; empty where nothing was. Pinned messages are sent like any other as
 * long as nothing is trimmed, and what is trimmed is not cached; but of what a summary stands for, they alone are sent.
 */
export function choicesIn(marks: string, choices: Choices | undefined, isSummarised = false): string {
  const chosen = Object.entries(choices ?? {}).flatMap(([id, choice]) =>
    (choice === 'leave_out' || isSummarised) && marks.includes(`${JSON.stringify(id)}\n`)
      ? [choice === 'pin' ? `pin ${id}` : id]
      : [],
  );
  return chosen.length === 0 ? '' : `-${sha256(JSON.stringify(chosen.toSorted())).slice(0, 16)}`;
}

/** Whether a turn was made for this target, after what has this prefix key. */
export function isOf({ key }: CachedTurn, target: string, prefix: string): boolean {
  return key.startsWith(target) && key.startsWith(prefix, HASH + 1);
}

export function isSentSo({ key }: CachedTurn, way: Way): boolean {
  return key.startsWith(written(way), WAY) && key.length === WAY + written(way).length;
}

/** Which thoughts of the turn are sent back. */
export function keptIn({ key }: CachedTurn): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

/** One digit per thought: whether it is sent back. */
export function keptFlags(thoughts: readonly Thought[], kept: ReadonlySet<NodeId>): string {
  return thoughts.map(({ nodeId }) => (kept.has(nodeId) ? '1' : '0')).join('');
}
