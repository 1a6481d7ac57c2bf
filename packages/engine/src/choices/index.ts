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
  /** What stands behind the first change: no cache has it in this place. */
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

const PER_PRICE = 1_000_000;

/** Compares the request with and without the choices. Both are made of the same path. */
export function effectOf(before: Weighed, after: Weighed, price: Price | undefined): ChoiceEffect {
  const changed = after.report.findIndex((line, index) => !isSentAlike(line, before.report[index]));
  const behind = changed < 0 ? [] : after.report.slice(changed);
  const rewrittenTokens = behind.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0);
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

/** Reasoning counts too: whether it goes back changes the bytes of its reply. */
function isSentAlike(one: CallReportLine, other: CallReportLine | undefined): boolean {
  return (
    one.fidelity === other?.fidelity &&
    one.reasoning === other.reasoning &&
    one.estimatedTokens === other.estimatedTokens
  );
}
