import { isPlainObject } from '@bough/core';
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
  /** The counters of the input, with what the cache gave and took. */
  readonly counters: Json;
}

/** The response object around the output, with the request's own settings repeated in it, as in the API. */
export function responseOf(body: Json, output: readonly Json[], options: ResponseOptions): Json {
  const { id, now, planned, history, diagnostics, counters } = options;
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
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: body['reasoning'] ?? { effort: null, summary: null },
    service_tier: body['service_tier'] ?? 'default',
    store: history.stores,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: shownTools(body),
    top_p: body['top_p'] ?? 1,
    truncation: 'disabled',
    usage: usageOf(counters, output, planned),
    ...(diagnostics !== null && { prompt_cache_diagnostics: diagnostics }),
    user: null,
    metadata: body['metadata'] ?? {},
  };
}

function usageOf(counters: Json, output: readonly Json[], planned: Reply): Json {
  const inputTokens = Number(counters['input_tokens']);
  // Thoughts are paid for, shown or not.
  const reasoningTokens = tokensIn(planned.parts.filter(({ type }) => type.endsWith('thinking')));
  const outputTokens = reasoningTokens + tokensIn(output.filter((item) => kindOf(item) !== 'reasoning'));
  return {
    ...counters,
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** The tools as a response repeats them: never with what an MCP server is shown. */
export function shownTools(body: Json): unknown {
  const { tools } = body;
  if (!Array.isArray(tools)) return [];
  return tools.map((tool: unknown) => {
    if (!isPlainObject(tool) || !('authorization' in tool)) return tool;
    const { authorization: _, ...shown } = tool;
    return shown;
  });
}
