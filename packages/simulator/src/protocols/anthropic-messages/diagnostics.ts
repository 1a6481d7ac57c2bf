import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import type { Block, Turn } from './turns.ts';
import { bare, contentBlocks, digest, list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

const MEMORY = 'anthropic request';
const CHARACTERS_PER_TOKEN = 4;

/** What a request consisted of, in the order in which the cache reads it. */
export function rememberRequest(id: string, body: Json, turns: readonly Turn[], world: World): void {
  world.remember(MEMORY, id, partsOf(body, turns));
}

function partsOf(body: Json, turns: readonly Turn[]): Json {
  return {
    model: digest([body['model'], body['speed'] ?? null]),
    // The provider tells the first of these, in this order: tools stand before the system prompt in every prompt.
    tools: digest(list(body['tools']).map(bare)),
    system: digest(contentBlocks(body['system'], 'system').map(({ value }) => bare(value))),
    others: digest([body['thinking'] ?? null, body['output_config'] ?? null, body['tool_choice'] ?? null]),
    // Block by block: neighbours of one role are joined, so that a turn may grow at its end.
    messages: turns.flatMap(({ role, blocks }) => blocks.map(({ value }) => digest([role, bare(value)]))),
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
  const blocks = turns.flatMap((turn) => turn.blocks);
  const part = ['model', 'tools', 'system'].find((name) => before[name] !== now[name]);
  if (part !== undefined) return missed(`${part}_changed`, blocks);
  if (before['others'] !== now['others']) return { cache_miss_reason: { type: 'unavailable' } };
  const sent = list(now['messages']);
  const at = list(before['messages']).findIndex((block, index) => block !== sent[index]);
  return at < 0 ? null : missed('messages_changed', blocks.slice(at));
}

function missed(type: string, blocks: readonly Block[]): Json {
  const characters = JSON.stringify(blocks.map(({ value }) => value)).length;
  return { cache_miss_reason: { type, cache_missed_input_tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) } };
}
