import { createHash } from 'node:crypto';
import type { World } from '../world.ts';

/** A part of a prompt, in the order in which a provider reads it: a tool, a block of the system prompt, a message. */
export interface Piece {
  /** What the request says there, as JSON, without cache marks. */
  readonly text: string;
  /** How long the provider shall keep everything up to here; absent without a mark. */
  readonly keptMs?: number;
}

/** How a provider caches prompts. */
export interface CacheHabits {
  /** Shorter prefixes are not kept. */
  readonly least: number;
  /** What is read and written comes in steps of so many tokens. */
  readonly step: number;
  /** How many pieces the provider looks back from a mark; null where it needs no marks and sees every beginning. */
  readonly lookback: number | null;
  /** How long a prefix lives that nobody reads, where no mark says it. */
  readonly keptMs: number;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** What a request read from the cache, brought there, and paid for in full. The three add up to the input. */
export interface CacheCount {
  readonly input: number;
  readonly read: number;
  readonly written: number;
  /** The part of `written` that stays for an hour or longer. */
  readonly writtenLong: number;
}

const MEMORY = 'prompt cache';
const CHARACTERS_PER_TOKEN = 4;

/**
 * Counts what a request finds in the cache, then keeps what it brings. Stricter than the providers: whoever asks, the
 * model and every setting are part of `scope`, only whole pieces count, and a prefix is found only where one was kept.
 */
export function countCached(
  pieces: readonly Piece[],
  scope: readonly unknown[],
  habits: CacheHabits,
  world: World,
): CacheCount {
  const ends = endsOf(pieces, digest(JSON.stringify(scope)));
  const input = Math.ceil((ends.at(-1)?.characters ?? 0) / CHARACTERS_PER_TOKEN);
  const found = ends.findLast((end, at) => isSought(at, pieces, habits) && isAlive(end, world));
  const marked = ends.filter((end, at) => isKept(at, pieces, habits) && tokensAt(end, habits) >= habits.least);
  const read = found === undefined ? 0 : tokensAt(found, habits);
  // A life begins with the request and is renewed by whoever reads.
  if (found !== undefined) keep(found, lifeOf(found, world), world);
  for (const end of marked) keep(end, pieces[end.at]?.keptMs ?? habits.keptMs, world);
  const last = marked.at(-1);
  const written = last === undefined ? 0 : Math.max(0, tokensAt(last, habits) - read);
  return { input, read, written, writtenLong: longPart(written, read, marked, pieces, habits) };
}

interface End {
  readonly at: number;
  readonly key: string;
  /** Characters up to here. */
  readonly characters: number;
}

function endsOf(pieces: readonly Piece[], scope: string): readonly End[] {
  let key = scope;
  let characters = 0;
  return pieces.map(({ text }, at) => {
    key = digest(key + text);
    characters += text.length;
    return { at, key, characters };
  });
}

function tokensAt({ characters }: End, { step }: CacheHabits): number {
  const tokens = Math.floor(characters / CHARACTERS_PER_TOKEN);
  return tokens - (tokens % step);
}

/** Whether the provider looks for a kept prefix that ends here. */
function isSought(at: number, pieces: readonly Piece[], { lookback }: CacheHabits): boolean {
  if (lookback === null) return true;
  return pieces.slice(at, at + lookback).some(({ keptMs }) => keptMs !== undefined);
}

/** Whether the provider keeps the prefix that ends here. */
function isKept(at: number, pieces: readonly Piece[], { lookback }: CacheHabits): boolean {
  return lookback === null || pieces[at]?.keptMs !== undefined;
}

interface Kept {
  readonly until: number;
  readonly keptMs: number;
}

function recall({ key }: End, world: World): Kept | null {
  const kept = world.recall(MEMORY, key);
  return isKeptPrefix(kept) ? kept : null;
}

function isKeptPrefix(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'until' in value && 'keptMs' in value;
}

function isAlive(end: End, world: World): boolean {
  const kept = recall(end, world);
  return kept !== null && world.now() < kept.until;
}

const lifeOf = (end: End, world: World): number => recall(end, world)?.keptMs ?? 0;

function keep(end: End, keptMs: number, world: World): void {
  world.remember(MEMORY, end.key, { until: world.now() + keptMs, keptMs } satisfies Kept);
}

/** What was written up to the last mark of an hour: marks of an hour stand before those of five minutes. */
function longPart(
  written: number,
  read: number,
  marked: readonly End[],
  pieces: readonly Piece[],
  habits: CacheHabits,
): number {
  const last = marked.findLast(({ at }) => (pieces[at]?.keptMs ?? 0) >= HOUR);
  return last === undefined ? 0 : Math.min(written, Math.max(0, tokensAt(last, habits) - read));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24);
}

/** Whose cache it is: the key of the request, never the key itself. */
export function accountOf(headers: Readonly<Record<string, string | undefined>>): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization'] ?? '';
  return digest(key);
}
