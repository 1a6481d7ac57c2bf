import type { ThinkingSetting } from '@bough/core';
import { thinkingLevel } from '../../../models/thinking.ts';
import type { Effort, ResponsesQuirks, ResponsesTraits } from '../traits.ts';
import { EFFORTS } from '../traits.ts';

/** The `reasoning` parameter, or undefined for a model that refuses it. */
export function reasoningParameter(
  thinking: ThinkingSetting,
  traits: ResponsesTraits,
  quirks: ResponsesQuirks,
): { readonly effort: Effort; readonly summary?: 'auto' } | undefined {
  const effort = nearestEffort(wantedEffort(thinking), traits.efforts);
  if (effort === undefined) return undefined;
  // Without reasoning there is nothing to summarise.
  return traits.summaries && quirks.summaries && effort !== 'none' ? { effort, summary: 'auto' } : { effort };
}

/** Budgets become efforts: this API has no parameter for tokens. */
function wantedEffort(thinking: ThinkingSetting): Effort {
  const level = thinkingLevel(thinking);
  return level === 'off' ? 'none' : level;
}

const strength = (effort: Effort): number => EFFORTS.indexOf(effort);

/** The closest effort that the model has: the wanted one, else the next weaker one, else its weakest. */
export function nearestEffort(wanted: Effort, supported: readonly Effort[]): Effort | undefined {
  // `none` and `minimal` are not weaker forms of requested thinking.
  const candidates = wanted === 'none' ? supported : supported.filter((effort) => strength(effort) >= strength('low'));
  return candidates.findLast((effort) => strength(effort) <= strength(wanted)) ?? candidates[0];
}
