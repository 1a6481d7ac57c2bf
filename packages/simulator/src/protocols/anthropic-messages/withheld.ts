import { claudeReads } from '@bough/providers';
import type { World } from '../../world.ts';
import type { HistoryOptions } from './history.ts';
import type { Claim } from './signatures.ts';
import { nameOf, readClaim } from './signatures.ts';
import type { Block, Turn } from './turns.ts';
import { digest, isThought, list } from './turns.ts';

// The API is silent about thoughts that a client leaves out. The simulator tells which of them it would have taken: the
// measure of how much a client loses without need.

const MEMORY = 'anthropic thoughts behind';
/** The same words may have been said more than once. */
const REMEMBERED_REPLIES = 50;

/** Remembers, for whatever was said, the thoughts that came with it. */
export function rememberThoughts(content: readonly Readonly<Record<string, unknown>>[], world: World): void {
  const tokens = content.filter((value) => isThought({ type: String(value['type']) })).map(tokenOf);
  for (const value of content) {
    const key = keyOf(value);
    if (key !== null) world.remember(MEMORY, key, [...repliesWith(key, world).slice(1 - REMEMBERED_REPLIES), tokens]);
  }
}

interface Placed {
  readonly token: string;
  readonly name: string;
  readonly claim: Claim;
  readonly turn: number;
}

/** The thoughts that did not come back with their reply, each of which would have been taken. */
export function withheldThoughts(turns: readonly Turn[], options: HistoryOptions, world: World): readonly string[] {
  const sent = turns.flatMap(({ blocks }, turn) =>
    blocks.filter(isThought).flatMap(({ value }) => placed(tokenOf(value), turn, world)),
  );
  const present = new Set(sent.map(({ token }) => token));
  const missing = new Map<string, Placed>();
  for (const [turn, { role, blocks }] of turns.entries()) {
    if (role !== 'assistant') continue;
    for (const block of blocks)
      for (const token of missingBehind(block, present, world)) {
        for (const thought of placed(token, turn, world)) missing.set(token, thought);
      }
  }
  return [...missing.values()].filter((thought) => isAcceptable(thought, sent, options)).map(({ token }) => token);
}

/** Empty if the block may belong to a reply of which everything is there. */
function missingBehind({ value }: Block, present: ReadonlySet<string>, world: World): readonly string[] {
  const key = keyOf(value);
  const replies = key === null ? [] : repliesWith(key, world).map((tokens) => list(tokens).map(String));
  const lost = replies.map((tokens) => tokens.filter((token) => !present.has(token)));
  return lost.some((tokens) => tokens.length === 0) ? [] : lost.flat();
}

/** Readable, behind what it was made with, and linked to its neighbours in the chain. */
function isAcceptable(
  { claim, name, turn }: Placed,
  sent: readonly Placed[],
  { model, traits, prefixes }: HistoryOptions,
): boolean {
  if (!claudeReads(model, traits, claim.model)) return false;
  if (traits.prefixCheck === 'none') return true;
  if (!prefixes.chains.some((before) => claim.prefix === before[turn])) return false;
  const before = sent.findLast((other) => isBefore(other, { claim, turn }));
  const after = sent.find((other) => !isBefore(other, { claim, turn }));
  return (
    (before === undefined || claim.previous === before.name) && (after === undefined || after.claim.previous === name)
  );
}

function isBefore(other: Placed, { claim, turn }: Pick<Placed, 'claim' | 'turn'>): boolean {
  if (other.turn !== turn) return other.turn < turn;
  return other.claim.reply !== claim.reply || other.claim.place < claim.place;
}

function placed(token: string, turn: number, world: World): readonly Placed[] {
  const claim = readClaim(token, world);
  return claim === null ? [] : [{ token, name: nameOf(token), claim, turn }];
}

function tokenOf(value: Readonly<Record<string, unknown>>): string {
  return String(value['type'] === 'thinking' ? value['signature'] : value['data']);
}

function keyOf(value: Readonly<Record<string, unknown>>): string | null {
  switch (value['type']) {
    case 'tool_use':
      return `call ${String(value['id'])}`;
    case 'text':
      return `said ${digest(value['text'])}`;
    default:
      return null;
  }
}

function repliesWith(key: string, world: World): readonly unknown[] {
  return list(world.recall(MEMORY, key));
}
