import type { ThinkingSetting } from '@bough/core';
import { thinkingBudget, thinkingLevel } from '../../../models/thinking.ts';
import type { ClaudeTraits, Effort } from '../traits.ts';

export interface ThinkingParameters {
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: Effort;
}

const SMALLEST_BUDGET = 1_024;
/** What manual mode leaves for the reply itself when the limit is tight. */
const REPLY_SHARE = 0.25;

/**
 * What the branch's setting becomes for a model. A model that cannot do what is asked for gets the nearest thing that
 * it can do: one that always thinks is asked for little, one that takes no budget is asked for an effort.
 */
export function thinkingParameters(
  setting: ThinkingSetting,
  traits: ClaudeTraits,
  maxTokens: number,
): ThinkingParameters {
  const level = thinkingLevel(setting);
  if (level === 'off') return off(traits);
  if (traits.thinking.includes('adaptive')) {
    const display = traits.displayDefault === 'omitted' ? { display: 'summarized' } : {};
    return { thinking: { type: 'adaptive', ...display }, ...effort(level, traits) };
  }
  if (!traits.thinking.includes('enabled')) return off(traits);
  const budget = budgetWithin(thinkingBudget(setting), maxTokens);
  return budget === null ? off(traits) : { thinking: { type: 'enabled', budget_tokens: budget } };
}

function off(traits: ClaudeTraits): ThinkingParameters {
  if (traits.thinking.includes('disabled')) return { thinking: { type: 'disabled' } };
  if (traits.thinking.includes('between_tools'))
    return { thinking: { type: 'between_tools' }, ...effort('low', traits) };
  return effort('low', traits);
}

function effort(level: Effort, traits: ClaudeTraits): ThinkingParameters {
  return traits.effort.includes(level) ? { effort: level } : {};
}

/** Null if the limit leaves no room for the smallest budget and a reply. */
function budgetWithin(wanted: number, maxTokens: number): number | null {
  const room = Math.floor(maxTokens * (1 - REPLY_SHARE));
  const budget = Math.max(SMALLEST_BUDGET, Math.min(wanted, room));
  return budget < maxTokens ? budget : null;
}
