import type { ClaudeTraits } from '@bough/providers';
import { claudeReads } from '@bough/providers';
import type { World } from '../../world.ts';
import type { Claim } from './signatures.ts';
import { nameOf, readClaim } from './signatures.ts';
import type { Block, Prefixes, Turn } from './turns.ts';
import { digest, isThought, list } from './turns.ts';

// What the API remembers and checks by itself. Written without looking at how requests are built: it stands in for the
// provider.

export interface Refusal {
  readonly rule: string;
  readonly message: string;
  /** 400 if absent. */
  readonly status?: number;
  readonly code?: string;
}

/** A thought that was dropped silently, or with a notice if the client asked for one. */
export interface Dropped {
  readonly path: string;
  readonly reason: 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

export interface Verdict {
  readonly refusal: Refusal | null;
  readonly dropped: readonly Dropped[];
  /** The last thought that the model really sees; the next one is chained to it. */
  readonly lastThought: string | null;
}

export interface HistoryOptions {
  readonly model: string;
  readonly traits: ClaudeTraits;
  readonly prefixes: Prefixes;
  readonly onMismatch: 'error' | 'drop_block';
  readonly canDrop: boolean;
}

interface Thought {
  readonly block: Block;
  readonly name: string;
  readonly claim: Claim;
  readonly turn: number;
}

export function judgeHistory(turns: readonly Turn[], options: HistoryOptions, world: World): Verdict {
  const latest = turns.findLastIndex(({ role }) => role === 'assistant');
  const thoughts: Thought[] = [];
  for (const [turn, { blocks }] of turns.entries()) {
    for (const block of blocks.filter(isThought)) {
      const claim = readClaim(block.value[block.type === 'thinking' ? 'signature' : 'data'], world);
      if (claim === null || claim.kind !== block.type) return refuse(invalidSignature(block));
      const shown =
        block.type === 'redacted_thinking' || claim.text === null || claim.text === digest(block.value['thinking']);
      if (!shown) return refuse(turn === latest ? modified(block) : invalidSignature(block));
      thoughts.push({ block, claim, turn, name: nameOf(tokenOf(block)) });
    }
  }
  const changed = changedReply(
    turns[latest],
    thoughts.filter(({ turn }) => turn === latest),
    world,
  );
  if (changed !== null) return refuse(modified(changed));
  return bind(thoughts, options);
}

const refuse = (refusal: Refusal): Verdict => ({ refusal, dropped: [], lastThought: null });

function tokenOf({ type, value }: Block): string {
  return String(type === 'thinking' ? value['signature'] : value['data']);
}

function invalidSignature({ type, path }: Block): Refusal {
  const field = type === 'thinking' ? 'signature' : 'data';
  return { rule: 'ANT-SIM-1', message: `${path}: Invalid \`${field}\` in \`${type}\` block` };
}

function modified({ path }: Block): Refusal {
  return {
    rule: 'ANT-SIM-2',
    message:
      `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  };
}

/** What a reply consisted of, in order: thoughts by name, calls by id, texts by content. */
export function rememberReply(
  reply: string,
  content: readonly Readonly<Record<string, unknown>>[],
  world: World,
): void {
  world.remember('anthropic reply', reply, content.map(nameOfBlock));
}

function nameOfBlock(value: Readonly<Record<string, unknown>>): string {
  switch (value['type']) {
    case 'thinking':
      return `thought ${nameOf(String(value['signature']))}`;
    case 'redacted_thinking':
      return `thought ${nameOf(String(value['data']))}`;
    case 'tool_use':
      return `call ${String(value['id'])}`;
    default:
      return `said ${digest(value['text'] ?? value)}`;
  }
}

/**
 * The first sign that the newest turn is not what was produced: a thought out of place, or one left out although
 * something that came after it is present. A reply that broke off may lack its end, and a reply may come back without
 * any thoughts at all.
 */
function changedReply(turn: Turn | undefined, thoughts: readonly Thought[], world: World): Block | null {
  const expected = new Map<string, number>();
  for (const { block, claim } of thoughts) {
    if (claim.place !== (expected.get(claim.reply) ?? 0)) return block;
    expected.set(claim.reply, claim.place + 1);
  }
  const sent = (turn?.blocks ?? []).map((block) => ({ block, name: nameOfBlock(block.value) }));
  for (const reply of expected.keys()) {
    const produced = list(world.recall('anthropic reply', reply)).map(String);
    const placeOf = (name: string) => produced.indexOf(name);
    // A text that was said twice does not show which of the two it is.
    const present = sent.filter(({ name }) => placeOf(name) >= 0 && placeOf(name) === produced.lastIndexOf(name));
    const lost = produced.find((name) => name.startsWith('thought ') && !present.some((other) => other.name === name));
    const behind = lost === undefined ? undefined : present.find(({ name }) => placeOf(name) > placeOf(lost));
    const moved = present.find(({ name }, at) => placeOf(name) < placeOf(present[at - 1]?.name ?? ''));
    const culprit = behind ?? moved;
    if (culprit !== undefined) return culprit.block;
  }
  return null;
}

/**
 * Each thought, in order, must be readable by this model, follow the prefix that it was made with, and be chained to
 * the thought before it.
 */
function bind(thoughts: readonly Thought[], options: HistoryOptions): Verdict {
  const { model, traits, prefixes } = options;
  const dropped: Dropped[] = [];
  let last: string | null = null;
  let broken = false;
  for (const { block, claim, name, turn } of thoughts) {
    if (!claudeReads(model, traits, claim.model)) {
      dropped.push({ path: block.path, reason: 'model_binding_mismatch' });
      continue;
    }
    const follows = prefixes.chains.some((before) => claim.prefix === before[turn]);
    const fits = follows && (last === null || claim.previous === last);
    if (traits.prefixCheck !== 'none' && (broken || !fits)) {
      if (options.onMismatch === 'error') return refuse(bound(block, claim, options));
      broken = true;
      dropped.push({ path: block.path, reason: 'prefix_binding_mismatch' });
      continue;
    }
    last = name;
  }
  return { refusal: null, dropped, lastThought: last };
}

function bound({ path, type }: Block, claim: Claim, { prefixes, canDrop }: HistoryOptions): Refusal {
  const field = type === 'thinking' ? 'signature' : 'data';
  const sentences = [
    `${path}: Invalid \`${field}\` in \`${type}\` block.`,
    'The block is bound to a different conversation.',
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    ...(canDrop
      ? []
      : ['That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.']),
    ...(claim.system === prefixes.system
      ? []
      : ['The `system` prompt differs from the one this block was created with.']),
  ];
  return { rule: 'ANT-SIM-3', message: sentences.join(' ') };
}
