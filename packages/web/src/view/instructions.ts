import type { ContextView } from '@bough/api/client';

/** What changed instructions cost. */
export interface InstructionsPrice {
  /** How many replies lose reasoning that is bound to what stood before it. */
  readonly lost: number;
  /** The tokens of the whole request: read anew if its beginning changes. */
  readonly tokens: number;
}

export function priceOf({
  report,
  estimatedTokens,
}: Pick<ContextView, 'report' | 'estimatedTokens'>): InstructionsPrice {
  const lost = report.filter(({ reasons }) => reasons.includes('thinking_prefix_changed')).length;
  return { lost, tokens: estimatedTokens };
}
