import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import type { History } from './history.ts';
import { recallResponse } from './memory.ts';
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
  const reason =
    given.model !== model
      ? 'model_changed'
      : !same(response['tools'], body['tools'] ?? [])
        ? 'tools_changed'
        : !same(inside(response['reasoning'], 'effort'), inside(body['reasoning'], 'effort'))
          ? 'reasoning_effort_changed'
          : first >= 0
            ? 'input_changed'
            : null;
  if (reason === null) return { type: 'cache_hit' };
  const kept = reason === 'input_changed' ? first : 0;
  return { type: 'cache_miss', reason, cache_missed_tokens: tokensIn(items.slice(kept)) };
}
