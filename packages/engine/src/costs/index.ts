import type { Call, ProjectId, TreeNode } from '@bough/core';
import type { CostParts, Price } from '@bough/providers';
import { costOf, costParts } from '@bough/providers';
import type { AccountLine } from '@bough/store';
import { accountLine, missedBy, sumOfLines } from '@bough/store';
import { nodesOfSummary } from '../assemble/summarised.ts';
import type { Environment } from '../environment.ts';

/** What a call cost, part by part, and what its cache missed and saved. In US dollars. */
export interface CallMoney extends CostParts {
  /** What reading from the cache saved, less what writing to it cost more than plain input. */
  readonly saved: number;
  /** Tokens that the provider had been sent before and read anew; null where nothing can be said. */
  readonly missedTokens: number | null;
  readonly missed: number | null;
  /** Why, if it is a finding: in the provider's word where it says one. */
  readonly missedBecause: string | null;
}

/**
 * Null where the cost is unknown, or where the price has changed since: the parts of another price would not add up to
 * what was stored.
 */
export function moneyOf({ usage, cost }: Pick<Call, 'usage' | 'cost'>, price: Price | undefined): CallMoney | null {
  const parts = costParts(usage, price);
  if (parts === null || usage === null || cost === null || Math.abs(parts.total - cost) > cost * 1e-6) return null;
  const { cachedInputTokens = 0, cacheWriteTokens = 0, longCacheWriteTokens: _, ...others } = usage;
  const plain = costOf({ ...others, cachedInputTokens: 0, cacheWriteTokens: 0 }, price) ?? parts.total;
  const isCounted = usage.expectedCachedTokens !== undefined && usage.cachedInputTokens !== undefined;
  const missedTokens = isCounted ? Math.max(0, (usage.expectedCachedTokens ?? 0) - cachedInputTokens) : null;
  const found = missedTokens ?? 0;
  const better = {
    ...usage,
    cachedInputTokens: cachedInputTokens + found,
    cacheWriteTokens: Math.max(0, cacheWriteTokens - found),
  };
  const cheaper = costOf(better, price) ?? parts.total;
  return {
    ...parts,
    saved: plain - parts.total,
    missedTokens,
    missed: missedTokens === null ? null : Math.max(0, parts.total - cheaper),
    missedBecause: missedBy({ usage })?.reason ?? null,
  };
}

/** How many turns are read at once. */
const AT_ONCE = 25;

/**
 * What the replies on a branch's path cost, and the summaries in place of some of them, by model; calls that had to be
 * repeated count with their turn.
 */
export async function branchCosts(env: Environment, project: ProjectId, ref: string): Promise<readonly AccountLine[]> {
  const { tipId, envelope } = await env.store.getBranch(project, ref);
  const path: readonly TreeNode[] = tipId === null ? [] : await env.store.path(project, tipId);
  const summaries = await Promise.all((envelope.summaries ?? []).map((id) => nodesOfSummary(env, project, id)));
  const counted = [...path, ...summaries.flat()];
  const ids = new Set(counted.map(({ id }) => id));
  const turns = [...new Set(counted.flatMap(({ turnId }) => turnId ?? []))];
  const calls: Call[] = [];
  for (let start = 0; start < turns.length; start += AT_ONCE) {
    const some = turns.slice(start, start + AT_ONCE).map((turn) => env.store.callsOfTurn(project, turn));
    for (const found of await Promise.all(some)) calls.push(...found);
  }
  const own = calls.filter(({ nodeId }) => nodeId === null || ids.has(nodeId));
  return sumOfLines(own.map((call) => ({ ...accountLine(call), day: '', client: '' })));
}
