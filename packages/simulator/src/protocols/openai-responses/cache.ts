import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import type { History } from './history.ts';
import { recallResponse } from './memory.ts';
import { shownTools } from './response.ts';
import type { Json } from './wire.ts';
import { text, tokensIn } from './wire.ts';

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const inside = (value: unknown, key: string): unknown => (isPlainObject(value) ? value[key] : undefined);

/** Whether the request only adds to the one that it names: the proof that a client replays without changing. */
export function cacheDiagnostics(body: Json, { items, model }: History, world: World): Json | null {
  const compared = text(inside(body['prompt_cache_options'], 'comparison_response_id'));
  if (compared === '') return null;
  const given = recallResponse(world, compared);
  if (given === null) return { type: 'comparison_response_not_found' };
  const { response } = given;
  const first = given.context.findIndex((item, at) => !same(item, items[at]));
  const hasCompacted = !given.context.some(isCompaction) && items.some(isCompaction);
  const reasons: readonly (readonly [string, boolean])[] = [
    ['model_changed', given.model !== model],
    ['prompt_cache_key_changed', !same(response['prompt_cache_key'], body['prompt_cache_key'])],
    ['service_tier_changed', !same(response['service_tier'], body['service_tier'] ?? 'default')],
    ['tools_changed', !same(response['tools'], shownTools(body))],
    ['text_format_changed', !same(inside(response['text'], 'format'), formatOf(body))],
    ['verbosity_changed', !same(inside(response['text'], 'verbosity'), inside(body['text'], 'verbosity'))],
    ['reasoning_effort_changed', !same(inside(response['reasoning'], 'effort'), inside(body['reasoning'], 'effort'))],
    ['context_compacted', hasCompacted],
    ['input_changed', first >= 0 || !same(response['instructions'], body['instructions'])],
  ];
  const reason = reasons.find(([, isSo]) => isSo)?.[0];
  if (reason === undefined) return { type: 'cache_hit' };
  const kept = reason === 'input_changed' && first >= 0 ? first : 0;
  return {
    type: 'cache_miss',
    reason,
    cache_missed_tokens: tokensIn(items.slice(kept)),
    comparison_reusable_tokens: tokensIn(items.slice(0, kept)),
  };
}

const isCompaction = (item: Json): boolean => item['type'] === 'compaction';

const formatOf = ({ text: asked }: Json): unknown => inside(asked ?? { format: { type: 'text' } }, 'format');
