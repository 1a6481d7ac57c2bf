import { isPlainObject } from '@bough/core';
import type { CacheCount } from '../../prompt-cache/index.ts';
import { countCached } from '../../prompt-cache/index.ts';
import { countsWrites, openaiHabits } from '../../prompt-cache/openai.ts';
import type { World } from '../../world.ts';
import type { History } from './history.ts';
import { shownTools } from './response.ts';
import type { Json } from './wire.ts';
import { records } from './wire.ts';

const NOTHING: CacheCount = { input: 0, read: 0, written: 0, writtenLong: 0 };

/**
 * What a request read from the cache and wrote to it. A beginning is found only under the key that it was kept with.
 */
export function countResponses(body: Json, { items, model }: History, account: string, world: World): CacheCount {
  const { text: format, reasoning, service_tier: tier, prompt_cache_key: key, prompt_cache_options: options } = body;
  const effort = isPlainObject(reasoning) ? (reasoning['effort'] ?? null) : null;
  const scope = ['openai', account, model, key ?? null, effort, format ?? null, tier ?? null];
  const tools = records(shownTools(body)).map((tool) => ({ text: JSON.stringify(tool) }));
  const instructions = body['instructions'] === undefined ? [] : [{ text: JSON.stringify(body['instructions']) }];
  const pieces = [...tools, ...instructions, ...items.map((item) => ({ text: JSON.stringify(item) }))];
  if (pieces.length === 0) return NOTHING;
  const count = countCached(pieces, scope, openaiHabits(options), world);
  const written = countsWrites(model) ? count.written : 0;
  return { ...count, written, writtenLong: isLong(options) ? written : 0 };
}

const isLong = (options: unknown): boolean => isPlainObject(options) && options['ttl'] === '12h';

/** The counters of the input, in the form of the API. */
export function inputCounters({ input, read, written, writtenLong }: CacheCount): Json {
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: read,
      cache_write_tokens: written,
      cache_write_tokens_details: { ttl_30m_tokens: written - writtenLong, ttl_12h_tokens: writtenLong },
    },
  };
}
