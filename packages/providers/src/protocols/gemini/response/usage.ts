import type { Usage } from '@bough/core';

/**
 * Gemini counts thoughts and the results of its own tools separately; Bough's input is all that was sent and its output
 * all that was generated. `total` holds the latest value of each field: a chunk may leave out what an earlier one gave.
 */
export function usageOf(total: Readonly<Record<string, unknown>>): Usage {
  const input = sum(count(total['promptTokenCount']), count(total['toolUsePromptTokenCount']));
  const reasoning = count(total['thoughtsTokenCount']);
  const output = sum(count(total['candidatesTokenCount']), reasoning);
  const cached = count(total['cachedContentTokenCount']);
  // Filled in one by one: this happens for every chunk, and spreading absent fields would cost more than reading the
  // chunk.
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  if (input !== undefined) usage.inputTokens = input;
  if (cached !== undefined) usage.cachedInputTokens = cached;
  if (output !== undefined) usage.outputTokens = output;
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  return usage;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
