import type { StopReason } from '@bough/core';

const REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  end_turn: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  content_filter: 'refusal',
  refusal: 'refusal',
  model_length: 'context_exceeded',
  stop_sequence: 'stop_sequence',
  error: 'error',
  insufficient_system_resource: 'error',
};

/** Some servers say `stop` after tool calls or a refusal, and some say nothing at all before `[DONE]`. */
export function stopReason(
  finish: string | null,
  seen: { readonly calls: boolean; readonly refusal: boolean },
): StopReason {
  const reason = finish === null ? 'end_turn' : (REASONS[finish] ?? 'unknown');
  if (reason !== 'end_turn') return reason;
  if (seen.calls) return 'tool_use';
  return seen.refusal ? 'refusal' : 'end_turn';
}
