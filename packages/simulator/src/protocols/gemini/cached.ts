import type { GeminiRequest } from '@bough/providers';
import type { CacheCount } from '../../prompt-cache/index.ts';
import { countCached, MINUTE } from '../../prompt-cache/index.ts';
import type { World } from '../../world.ts';

/** Gemini 2.5 caches from 2,048 tokens on, every later one from 4,096. */
function leastOf(model: string): number {
  return /gemini-2\.5/.test(model) ? 2_048 : 4_096;
}

/**
 * What a request read from the implicit cache: the longest beginning that an earlier one had. Writing is not counted.
 */
export function countGemini(request: GeminiRequest, model: string, account: string, world: World): CacheCount {
  const { contents, systemInstruction, tools = [], toolConfig, generationConfig } = request;
  const scope = ['gemini', account, model, toolConfig ?? null, generationConfig?.thinkingConfig ?? null];
  const system = systemInstruction === undefined ? [] : [systemInstruction];
  const pieces = [...system, ...tools, ...contents].map((part) => ({ text: JSON.stringify(part) }));
  const habits = { least: leastOf(model), step: 1, lookback: null, keptMs: 5 * MINUTE };
  return countCached(pieces, scope, habits, world);
}
