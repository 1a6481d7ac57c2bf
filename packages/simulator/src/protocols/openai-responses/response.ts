import type { Reply } from '../../reply.ts';
import type { History } from './history.ts';
import type { Json } from './wire.ts';
import { kindOf, tokensIn } from './wire.ts';

export interface ResponseOptions {
  readonly id: string;
  /** Milliseconds. */
  readonly now: number;
  readonly planned: Reply;
  readonly history: History;
  /** What the cache says about the request; absent if the request did not ask. */
  readonly diagnostics: Json | null;
}

/** The response object around the output, with the request's own settings repeated in it, as in the API. */
export function responseOf(body: Json, output: readonly Json[], options: ResponseOptions): Json {
  const { id, now, planned, history, diagnostics } = options;
  const incomplete = planned.stop === 'max_tokens';
  const created = Math.floor(now / 1000);
  return {
    id,
    object: 'response',
    created_at: created,
    status: incomplete ? 'incomplete' : 'completed',
    background: false,
    completed_at: incomplete ? null : created,
    error: null,
    incomplete_details: incomplete ? { reason: 'max_output_tokens' } : null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    model: history.model,
    output,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: body['reasoning'] ?? { effort: null, summary: null },
    store: history.stores,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body['top_p'] ?? 1,
    truncation: 'disabled',
    usage: usageOf(history.items, output, planned),
    ...(diagnostics !== null && { prompt_cache_diagnostics: diagnostics }),
    user: null,
    metadata: body['metadata'] ?? {},
  };
}

function usageOf(input: readonly Json[], output: readonly Json[], planned: Reply): Json {
  const inputTokens = tokensIn(input);
  // Thoughts are paid for, shown or not.
  const reasoningTokens = tokensIn(planned.parts.filter(({ type }) => type.endsWith('thinking')));
  const outputTokens = reasoningTokens + tokensIn(output.filter((item) => kindOf(item) !== 'reasoning'));
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
