import type { CacheTold, StopReason, TokenCount, Usage } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { numberOf, objectOf, stringOf } from '../wire.ts';

/** The tokens of a response; null if it gives none. */
export function readUsage(response: WireItem): Usage | null {
  const usage = objectOf(response['usage']);
  if (usage === undefined) return null;
  const input = objectOf(usage['input_tokens_details']);
  const output = objectOf(usage['output_tokens_details']);
  const cacheTold = cacheToldIn(objectOf(response['prompt_cache_diagnostics']));
  const counts: Partial<Record<TokenCount, number | undefined>> = {
    inputTokens: numberOf(usage['input_tokens']),
    cachedInputTokens: numberOf(input?.['cached_tokens']),
    cacheWriteTokens: numberOf(input?.['cache_write_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    reasoningTokens: numberOf(output?.['reasoning_tokens']),
  };
  const given = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
  return cacheTold === null ? given : { ...given, cacheTold };
}

/** Only a request that named a response to compare with gets an answer. */
function cacheToldIn(diagnostics: WireItem | undefined): CacheTold | null {
  const type = stringOf(diagnostics?.['type']);
  if (diagnostics === undefined || type === undefined) return null;
  if (type === 'cache_hit') return { type: 'same' };
  if (type !== 'cache_miss') return { type: 'unknown', reason: type };
  const missedTokens = numberOf(diagnostics['cache_missed_tokens']);
  const reason = stringOf(diagnostics['reason']) ?? 'unknown';
  return { type: 'differs', reason, ...(missedTokens !== undefined && { missedTokens }) };
}

/** What the reply turned out to contain, as far as that decides why it ended. */
export interface ReplyFacts {
  /** A whole function call, which the client must answer. */
  readonly called: boolean;
  readonly refused: boolean;
}

export function readStop(response: WireItem, { called, refused }: ReplyFacts): StopReason {
  switch (stringOf(response['status'])) {
    case 'incomplete':
      return incompleteReason(stringOf(objectOf(response['incomplete_details'])?.['reason']));
    case 'cancelled':
      return 'interrupted';
    default:
      if (called) return 'tool_use';
      return refused ? 'refusal' : 'end_turn';
  }
}

function incompleteReason(reason: string | undefined): StopReason {
  if (reason === 'max_output_tokens') return 'max_tokens';
  // Somebody steered the response while it ran: what it said so far is whole, and a successor goes on.
  if (reason === 'steered') return 'interrupted';
  return reason === 'content_filter' ? 'refusal' : 'unknown';
}
