import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from './model.ts';

/** How a model's provider caches prompts, as far as Bough's requests use it. */
export interface CacheHabits {
  /** Shorter beginnings are not cached. */
  readonly leastTokens: number;
  /** How long a beginning is kept at least that nobody reads. */
  readonly keptMs: number;
  /** Whether what is read anew is written to the cache at a price of its own. */
  readonly writes: boolean;
  /** Where it finds only what ended at a mark of Bough's; null where it finds every beginning. */
  readonly marks: CacheMarks | null;
}

interface CacheMarks {
  /** How many blocks the provider looks back from a mark, the marked one included. */
  readonly lookback: number;
  /** From how many tokens on the system prompt, and the tools, have marks of their own. */
  readonly startTokens: number;
}

/** A shorter start is cached by no older model; some newer ones cache less, and the automatic mark covers them. */
export const CLAUDE_MARKS: CacheMarks = { lookback: 20, startTokens: 1_024 };

const MINUTE = 60_000;

/** From the vendor's page; where it gives no figure, the largest one is assumed. */
const CLAUDE_LEAST: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus|fable|mythos)-5(?:-\d{8})?$/, 512],
  [/^claude-(?:opus-4-8|sonnet-5|sonnet-4-6|sonnet-4-5)(?:-\d{8})?$/, 1_024],
  [/^claude-opus-4-7(?:-\d{8})?$/, 2_048],
  [/^sim-/, 1_024],
];
const CLAUDE_MOST = 4_096;

/** Null where nothing is cached: the server does not do it, or wants marks that Bough does not send there. */
export function cacheHabits(
  { protocol, quirks }: Pick<Deployment, 'protocol' | 'quirks'>,
  { id, price }: Pick<ModelInfo, 'id' | 'price'>,
): CacheHabits | null {
  const writes = price?.cacheWrite !== undefined;
  switch (protocol) {
    case 'anthropic-messages': {
      if (quirks['automaticCaching'] !== true) return null;
      const leastTokens = CLAUDE_LEAST.find(([names]) => names.test(id))?.[1] ?? CLAUDE_MOST;
      return { leastTokens, keptMs: 5 * MINUTE, writes: true, marks: CLAUDE_MARKS };
    }
    case 'openai-responses':
      return { leastTokens: 1_024, keptMs: 30 * MINUTE, writes, marks: null };
    case 'openai-chat':
      // Who has a price for it does it. Not OpenRouter's Claude, which wants marks.
      return price?.cachedInput === undefined ? null : { leastTokens: 1_024, keptMs: 5 * MINUTE, writes, marks: null };
    case 'gemini':
      return { leastTokens: id.includes('gemini-2.5') ? 2_048 : 4_096, keptMs: 5 * MINUTE, writes: false, marks: null };
  }
}
