import type { RawResponse } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { parseJson } from '../dialects/json.ts';

/** What a provider itself says about a miss of its cache. */
export interface ToldMiss {
  readonly reason: string;
  readonly missedTokens: number | null;
}

/** Anthropic says it in `diagnostics`, OpenAI in `prompt_cache_diagnostics`, if the client asked for it; else null. */
export function toldMiss({ payload }: RawResponse): ToldMiss | null {
  for (const text of textsOf(payload)) {
    if (!text.includes('cache_miss')) continue;
    const told = missIn(parseJson(text), 0);
    if (told !== null) return told;
  }
  return null;
}

function textsOf(payload: RawResponse['payload']): readonly string[] {
  if ('length' in payload) return payload.map((each) => (typeof each === 'string' ? each : each.data));
  const streamed =
    'events' in payload ? payload.events.map(({ data }) => data) : 'stream' in payload ? payload.stream : [];
  return payload.response === null ? streamed : [...streamed, payload.response];
}

/** Diagnostics stand near the top: in a message, or in a response. */
const DEEPEST = 3;

function missIn(value: unknown, depth: number): ToldMiss | null {
  if (!isPlainObject(value) || depth > DEEPEST) return null;
  const anthropic = isPlainObject(value['diagnostics']) ? value['diagnostics']['cache_miss_reason'] : undefined;
  if (isPlainObject(anthropic) && typeof anthropic['type'] === 'string')
    return { reason: anthropic['type'], missedTokens: numberIn(anthropic['cache_missed_input_tokens']) };
  const openai = value['prompt_cache_diagnostics'];
  if (isPlainObject(openai) && openai['type'] === 'cache_miss' && typeof openai['reason'] === 'string')
    return { reason: openai['reason'], missedTokens: numberIn(openai['cache_missed_tokens']) };
  for (const inner of Object.values(value)) {
    const found = missIn(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);
