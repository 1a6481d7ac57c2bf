import type { BranchView } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';
import { formatNumber } from './format.ts';

/** How hard a branch thinks: a level, or how many tokens it may think with, as other clients ask for. */
export function thinkingText(thinking: BranchView['thinking'], t: Translator): string {
  if (typeof thinking === 'string') return t(`thinking.${thinking}`);
  return t('thinking.budget', { count: formatNumber(thinking.budgetTokens, t.locale) });
}
