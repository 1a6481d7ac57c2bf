import { isPlainObject } from '@bough/core';
import type { CacheCount, CacheHabits, Piece } from '../../prompt-cache/index.ts';
import { countCached, HOUR, MINUTE } from '../../prompt-cache/index.ts';
import type { World } from '../../world.ts';
import type { Turn } from './turns.ts';
import { bare, contentBlocks, isThought, list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

const LOOKBACK = 20;

/** Shorter prefixes are silently not cached. Where the vendor gives no figure, the largest one holds. */
const LEAST: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus|fable|mythos)-5$/, 512],
  [/^claude-(?:opus-4-8|sonnet-5|sonnet-4-6|sonnet-4-5)$/, 1_024],
  [/^claude-opus-4-7$/, 2_048],
  [/^sim-/, 1_024],
];
const MOST = 4_096;

export function leastOf(model: string): number {
  const name = model.replace(/-\d{8}$/, '');
  return LEAST.find(([names]) => names.test(name))?.[1] ?? MOST;
}

/** What a request read from the cache and wrote to it. Cached is only what carries a mark. */
export function countClaude(
  { body, turns, account }: { readonly body: Json; readonly turns: readonly Turn[]; readonly account: string },
  world: World,
): CacheCount {
  const { thinking, output_config: output, tool_choice: choice, speed } = body;
  const model = String(body['model']);
  const habits: CacheHabits = { least: leastOf(model), step: 1, lookback: LOOKBACK, keptMs: 5 * MINUTE };
  // Some of these break only the messages' part, on some models. Here they break all of it, on all of them.
  const scope = ['anthropic', account, model, thinking ?? null, output ?? null, choice ?? null, speed ?? null];
  return countCached(withAutomatic(piecesOf(body, turns), body), scope, habits, world);
}

interface Marked extends Piece {
  readonly canBeMarked: boolean;
}

/** Tools, then system, then messages. A deferred tool is no part of the prefix until it is mentioned. */
function piecesOf(body: Json, turns: readonly Turn[]): readonly Marked[] {
  const tools = list(body['tools']).filter((tool) => !(isPlainObject(tool) && tool['defer_loading'] === true));
  return [
    ...tools.map((tool) => piece(tool, 'tool')),
    ...contentBlocks(body['system'], 'system').map(({ value }) => piece(value, 'system')),
    ...turns.flatMap(({ role, blocks }) => blocks.map((block) => piece(block.value, role, !isThought(block)))),
  ];
}

function piece(value: unknown, role: string, canBeMarked = true): Marked {
  const control = isPlainObject(value) ? value['cache_control'] : undefined;
  return {
    text: JSON.stringify([role, bare(value)]),
    canBeMarked: canBeMarked && !(isPlainObject(value) && value['text'] === ''),
    ...(isPlainObject(control) && { keptMs: lifeOf(control) }),
  };
}

const lifeOf = ({ ttl }: Json): number => (ttl === '1h' ? HOUR : 5 * MINUTE);

/** The mark at the top level stands for one on the last block that may carry it. */
function withAutomatic(pieces: readonly Marked[], { cache_control: control }: Json): readonly Piece[] {
  if (!isPlainObject(control)) return pieces;
  const last = pieces.findLastIndex(({ canBeMarked }) => canBeMarked);
  return pieces.map((own, at) => (at === last ? { keptMs: lifeOf(control), ...own } : own));
}

/** The counters of a request beside those of its reply. */
export function countersOf({ input, read, written, writtenLong }: CacheCount): Json {
  return {
    input_tokens: input - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: {
      ephemeral_5m_input_tokens: written - writtenLong,
      ephemeral_1h_input_tokens: writtenLong,
    },
  };
}
