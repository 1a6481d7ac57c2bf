import type { ThinkingSetting } from '@bough/core';

export type ThinkingLevel = 'low' | 'medium' | 'high';

/** Token budgets for the named settings, for models that count in tokens. */
const BUDGETS: Readonly<Record<ThinkingLevel, number>> = { low: 1_024, medium: 8_192, high: 24_576 };

/** The tokens of a setting; 0 for `off`. */
export function thinkingBudget(setting: ThinkingSetting): number {
  if (setting === 'off') return 0;
  return typeof setting === 'string' ? BUDGETS[setting] : Math.max(0, Math.floor(setting.budgetTokens));
}

/** The name of a setting, for models that take names: the smallest that covers the budget. */
export function thinkingLevel(setting: ThinkingSetting): ThinkingLevel | 'off' {
  if (typeof setting === 'string') return setting;
  if (setting.budgetTokens <= 0) return 'off';
  if (setting.budgetTokens <= BUDGETS.low) return 'low';
  return setting.budgetTokens <= BUDGETS.medium ? 'medium' : 'high';
}
