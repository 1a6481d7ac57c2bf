import type { Usage } from '@bough/core';
import type { Json } from './json.ts';
import { numberAt, objectAt } from './json.ts';

/** The usage of a chunk, wherever this server puts it: at the top level, in `x_groq`, or in the choice (Moonshot). */
export function usageOfChunk(chunk: Json, choice: Json | null): Usage | null {
  const groq = objectAt(chunk, 'x_groq');
  const found =
    objectAt(chunk, 'usage') ?? (groq && objectAt(groq, 'usage')) ?? (choice && objectAt(choice, 'usage')) ?? null;
  return found && readUsage(found);
}

export function readUsage(usage: Json): Usage | null {
  const input = numberAt(usage, 'prompt_tokens');
  const output = numberAt(usage, 'completion_tokens');
  const inputDetails = objectAt(usage, 'prompt_tokens_details') ?? {};
  const outputDetails = objectAt(usage, 'completion_tokens_details') ?? {};
  const reasoning = numberAt(outputDetails, 'reasoning_tokens') ?? numberAt(usage, 'reasoning_tokens');
  const cached =
    numberAt(inputDetails, 'cached_tokens') ??
    numberAt(usage, 'prompt_cache_hit_tokens') ??
    numberAt(usage, 'cached_tokens');
  const written = numberAt(inputDetails, 'cache_write_tokens') ?? numberAt(usage, 'cache_creation_input_tokens');
  const result: Usage = {
    ...(input !== null && { inputTokens: input }),
    ...(cached !== null && { cachedInputTokens: cached }),
    ...(written !== null && { cacheWriteTokens: written }),
    ...(output !== null && { outputTokens: wholeOutput(usage, input ?? 0, output, reasoning ?? 0) }),
    ...(reasoning !== null && { reasoningTokens: reasoning }),
  };
  return Object.keys(result).length === 0 ? null : result;
}

/** xAI counts reasoning separately from `completion_tokens`, everyone else includes it: the total shows which. */
function wholeOutput(usage: Json, input: number, output: number, reasoning: number): number {
  const apart = reasoning > 0 && numberAt(usage, 'total_tokens') === input + output + reasoning;
  return apart ? output + reasoning : output;
}
