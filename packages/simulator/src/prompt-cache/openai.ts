import type { CacheHabits } from './index.ts';
import { HOUR, MINUTE } from './index.ts';

/** OpenAI caches every beginning from 1,024 tokens on, in steps of 128. */
export function openaiHabits(options: unknown): CacheHabits {
  const isLong = typeof options === 'object' && options !== null && 'ttl' in options && options.ttl === '12h';
  return { least: 1_024, step: 128, lookback: null, keptMs: isLong ? 12 * HOUR : 30 * MINUTE };
}

/** Writing is counted, and costs more than input, from GPT-5.6 on. */
export function countsWrites(model: string): boolean {
  const [, version] = /^gpt-(\d+(?:\.\d+)?)/.exec(model) ?? [];
  return model.startsWith('sim-') || Number(version ?? 0) >= 5.6;
}
