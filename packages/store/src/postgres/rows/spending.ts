import type { Insertable } from 'kysely';
import type { AccountLine } from '../../spending.ts';
import type { SpendingRow } from '../tables.ts';

export function spendingRow(line: AccountLine): Insertable<SpendingRow> {
  return {
    day: line.day,
    project_id: line.project,
    client: line.client,
    provider: line.provider,
    model: line.model,
    calls: line.calls,
    uncounted: line.uncounted,
    unpriced: line.unpriced,
    input_tokens: line.inputTokens,
    output_tokens: line.outputTokens,
    cost: line.cost,
    cached_tokens: line.cachedInputTokens,
    written_tokens: line.cacheWriteTokens,
    reasoning_tokens: line.reasoningTokens,
  };
}
