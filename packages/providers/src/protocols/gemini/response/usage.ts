import type { Usage } from '@bough/core';

/**
 * Gemini counts thoughts and the results of its own tools apart; Bough's input is all that was sent and its output all that
 * was generated. `total` holds the latest value of each field: a chunk may leave out what an earlier one gave.
 */
export function usageOf(total: Readonly<Record<string, unknown>>): Usage {
  const count = (name: string): number | undefined => {
    const value = total[name];
    return typeof value === 'number' ? value : undefined;
  };
  const input = sum(count('promptTokenCount'), count('toolUsePromptTokenCount'));
  const output = sum(count('candidatesTokenCount'), count('thoughtsTokenCount'));
  const cached = count('cachedContentTokenCount');
  const reasoning = count('thoughtsTokenCount');
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(output !== undefined && { outputTokens: output }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
