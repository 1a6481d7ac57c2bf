import type { Choice, Choices, Envelope, ProjectId } from '@bough/core';
import { choicesSetting, nodeId } from '@bough/core';
import type { CallReportLine, Price } from '@bough/providers';
import type { Environment } from '../environment.ts';
import { RequestError } from '../admit/errors.ts';

/** What changes about single messages: null takes a choice back, and what is not named stays. */
export type ChoiceChanges = Readonly<Record<string, Choice | null>>;

export function withChoices(choices: Choices | undefined, changes: ChoiceChanges): Choices {
  const merged = Object.entries({ ...choices, ...changes });
  return Object.fromEntries(merged.flatMap(([id, choice]) => (choice === null ? [] : [[id, choice] as const])));
}

export function chosen(envelope: Envelope, changes: ChoiceChanges | undefined): Envelope {
  if (changes === undefined) return envelope;
  const { choices, ...others } = envelope;
  return { ...others, ...choicesSetting(withChoices(choices, changes)) };
}

/**
 * Refuses choices about messages that are not there, and about instructions: those are changed on the branch, and the
 * tools of a request depend on them.
 */
export async function checkChoices(env: Environment, projectId: ProjectId, changes: ChoiceChanges): Promise<void> {
  const ids = Object.entries(changes).flatMap(([id, choice]) => (choice === null ? [] : [nodeId(id)]));
  if (ids.length === 0) return;
  const nodes = await env.store.getNodes(projectId, ids);
  const instructions = nodes.find(({ role }) => role === 'system');
  if (instructions === undefined) return;
  throw new RequestError(
    'instructions_not_chosen',
    'Instructions are neither left out nor pinned. Change the system prompt of the branch instead.',
  );
}

/** What choices change in the next request. */
export interface ChoiceEffect {
  /** Negative if the request becomes longer. */
  readonly savedTokens: number;
  /** What has to be written to a cache again: no cache has in its new place what stands behind the first change. */
  readonly rewrittenTokens: number;
  /** In US dollars; null where the price is unknown. */
  readonly rewriteCost: number | null;
  /** Replies whose reasoning goes back before and not afterwards, although they are sent. */
  readonly lostReasoning: readonly string[];
}

interface Weighed {
  readonly report: readonly CallReportLine[];
  readonly estimatedTokens: number;
}

/** What caches have of the request with the choices. */
interface Cached {
  /** The most that can be read of it: estimated, from its beginning on. */
  readonly repeatedTokens: number;
  /** What has to be read anew as things are now; null where no cache is known to have any of it. */
  readonly uncachedTokens: number | null;
  /** Whether only that is found which an earlier request ended with, and not every beginning. */
  readonly findsOnlyEnds: boolean;
}

const PER_PRICE = 1_000_000;

/** Compares the request with and without the choices. Both are made of the same path. */
export function effectOf(
  before: Weighed,
  after: Weighed,
  price: Price | undefined,
  cached: Cached = { repeatedTokens: 0, uncachedTokens: null, findsOnlyEnds: false },
): ChoiceEffect {
  const rewrittenTokens = rewrittenBy(before, after, cached);
  const perToken = price === undefined ? null : (price.cacheWrite ?? price.input) / PER_PRICE;
  return {
    savedTokens: before.estimatedTokens - after.estimatedTokens,
    rewrittenTokens,
    rewriteCost: perToken === null ? null : rewrittenTokens * perToken,
    lostReasoning: after.report.flatMap(({ nodeId: id, fidelity, reasoning }, index) =>
      before.report[index]?.reasoning === 'goes_back' && reasoning !== 'goes_back' && fidelity !== 'dropped'
        ? [id]
        : [],
    ),
  };
}

function rewrittenBy(
  before: Weighed,
  after: Weighed,
  { repeatedTokens, uncachedTokens, findsOnlyEnds }: Cached,
): number {
  const changed = after.report.findIndex((line, index) => !isSentAlike(line, before.report[index]));
  if (changed < 0) return 0;
  const messages = tokensOf(after.report);
  const start = after.estimatedTokens - messages;
  // What is far before the change is not found any more, either.
  const lost = findsOnlyEnds ? messages - Math.max(0, repeatedTokens - start) : 0;
  // A request that was sent a moment ago is still there: that is how a choice is taken back.
  return Math.min(Math.max(lost, tokensOf(after.report.slice(changed))), uncachedTokens ?? Infinity);
}

function tokensOf(report: readonly CallReportLine[]): number {
  return report.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0);
}

/** Reasoning counts too: whether it goes back changes the bytes of its reply. */
function isSentAlike(one: CallReportLine, other: CallReportLine | undefined): boolean {
  return (
    one.fidelity === other?.fidelity &&
    one.reasoning === other.reasoning &&
    one.estimatedTokens === other.estimatedTokens
  );
}
