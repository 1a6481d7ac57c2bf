import type { ModelView } from '@bough/api';

/** The most that the checks send and receive, over all of their calls. */
const INPUT_TOKENS = 30_000;
const OUTPUT_TOKENS = 12_000;
const PER_PRICE = 1_000_000;

/** In US dollars; null where the price is unknown. */
export function highestCost({ price }: ModelView): number | null {
  if (price === null) return null;
  return (price.input * INPUT_TOKENS + price.output * OUTPUT_TOKENS) / PER_PRICE;
}

export function costText(cost: number | null): string {
  return cost === null ? 'an unknown amount' : `about $${cost.toFixed(cost < 0.1 ? 3 : 2)}`;
}
