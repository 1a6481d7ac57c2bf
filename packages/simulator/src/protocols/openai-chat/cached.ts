import { isPlainObject } from '@bough/core';
import type { CacheCount, CacheHabits, Piece } from '../../prompt-cache/index.ts';
import { countCached, HOUR, MINUTE } from '../../prompt-cache/index.ts';
import { countsWrites, openaiHabits } from '../../prompt-cache/openai.ts';
import type { World } from '../../world.ts';
import type { Json } from './request.ts';
import { listOf, textOf } from './request.ts';
import type { Vendor } from './vendors.ts';

/**
 * DeepSeek keeps every beginning on disk, in steps of 64 tokens; others as OpenAI does; Claude at OpenRouter by
 * marks.
 */
const DEEPSEEK: CacheHabits = { least: 64, step: 64, lookback: null, keptMs: HOUR };
const MARKED: CacheHabits = { least: 4_096, step: 1, lookback: 20, keptMs: 5 * MINUTE };
/** Servers that count nothing of the kind. */
const UNCACHED: CacheHabits = { least: Infinity, step: 1, lookback: null, keptMs: 0 };

function habitsOf({ id }: Vendor, model: string, body: Json): CacheHabits {
  if (id === 'deepseek') return DEEPSEEK;
  if (id === 'mistral' || id === 'ollama') return UNCACHED;
  return id === 'openrouter' && /^~?anthropic\//.test(model) ? MARKED : openaiHabits(body['prompt_cache_options']);
}

/** What a request read from the cache and wrote to it. */
export function countChat(vendor: Vendor, body: Json, account: string, world: World): CacheCount {
  const model = textOf(body, 'model') ?? '';
  const { reasoning_effort: effort, reasoning, thinking, response_format: format, prompt_cache_key: key } = body;
  const settings = [effort, reasoning, thinking, format, key].map((value) => value ?? null);
  const habits = habitsOf(vendor, model, body);
  const pieces = [
    ...listOf(body, 'tools').map((tool) => ({ text: JSON.stringify(tool) })),
    ...listOf(body, 'messages').flatMap(piecesOf),
  ];
  const count = countCached(pieces, ['chat', vendor.id, account, model, ...settings], habits, world);
  const isCharged = habits === MARKED || (vendor.id === 'openai' && countsWrites(model));
  return isCharged ? count : { ...count, written: 0 };
}

/** A message, or the parts of one: a mark stands on a part. */
function piecesOf(message: Json): readonly Piece[] {
  const parts = listOf(message, 'content');
  if (!parts.some((part) => isPlainObject(part['cache_control']))) return [{ text: JSON.stringify(message) }];
  const { content: _, ...rest } = message;
  const spoken = parts.map(({ cache_control: control, ...part }) => ({
    text: JSON.stringify(part),
    ...(isPlainObject(control) && { keptMs: control['ttl'] === '1h' ? HOUR : 5 * MINUTE }),
  }));
  return [{ text: JSON.stringify(rest) }, ...spoken];
}
