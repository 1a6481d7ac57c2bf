import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import type { Turn } from './turns.ts';
import { digest, list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

const MEMORY = 'anthropic request';
const CHARACTERS_PER_TOKEN = 4;

/** What a request consisted of, in the order in which the cache reads it. */
export function rememberRequest(id: string, body: Json, turns: readonly Turn[], world: World): void {
  world.remember(MEMORY, id, partsOf(body, turns));
}

function partsOf(body: Json, turns: readonly Turn[]): Json {
  return {
    model: digest(body['model']),
    system: digest(body['system'] ?? null),
    tools: digest(body['tools'] ?? null),
    messages: turns.map(({ role, blocks }) => digest([role, blocks.map(({ value }) => uncached(value))])),
  };
}

/** Why the cache of an earlier request could not be read: the first thing that differs. Undefined if nobody asked. */
export function diagnosticsOf(body: Json, turns: readonly Turn[], world: World): Json | null | undefined {
  const asked = body['diagnostics'];
  if (!isPlainObject(asked)) return undefined;
  const previous = asked['previous_message_id'];
  if (typeof previous !== 'string') return null;
  const before = world.recall(MEMORY, previous);
  if (!isPlainObject(before)) return { cache_miss_reason: { type: 'previous_message_not_found' } };
  const now = partsOf(body, turns);
  const part = ['model', 'system', 'tools'].find((name) => before[name] !== now[name]);
  if (part !== undefined) return missed(`${part}_changed`, turns);
  const sent = list(now['messages']);
  const at = list(before['messages']).findIndex((message, index) => message !== sent[index]);
  return at < 0 ? null : missed('messages_changed', turns.slice(at));
}

function missed(type: string, turns: readonly Turn[]): Json {
  const characters = JSON.stringify(turns.map(({ blocks }) => blocks.map(({ value }) => value))).length;
  return { cache_miss_reason: { type, cache_missed_input_tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) } };
}

/** Cache marks move with every request. */
function uncached(value: Json): Json {
  const { cache_control: _, ...rest } = value;
  return rest;
}
