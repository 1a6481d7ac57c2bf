import type { CallId, NodeId, Piece, ProjectId, Rendering, TurnId } from '@bough/core';
import { sha256 } from '@bough/core';
import { withoutSecrets } from './secrets.ts';

/** Pieces that are shorter are joined with their neighbours: each costs a row. */
const SHORTEST = 200;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
/** Members of the body, and the elements of its lists: messages, tools, texts of the system prompt. */
const DEEPEST_CUT = 2;

/** Where a body was cut. */
export interface Cut {
  /** Where each segment ends. */
  readonly ends: readonly number[];
  /** Of those, the ones behind which nothing waited: a body that is the same up to there can be cut on from there. */
  readonly whole: ReadonlySet<number>;
}

/** The beginning of a body that is cut already. It ends within the list of messages, in front of a comma. */
export interface CutBefore {
  readonly ends: readonly number[];
}

/**
 * Cuts a body where clients change it: between its members and between the elements of their lists. The next request
 * repeats most of it, and is cut at the same places. Joined, the segments are the body.
 */
export function cutBody(text: string, before: CutBefore = { ends: [] }): Cut {
  const ends = [...before.ends];
  const whole = new Set<number>(before.ends.slice(-1));
  let from = ends.at(-1) ?? 0;
  // Where the last long segment ended: what came since is short, and waits for more.
  let kept = from;
  const cut = (to: number): void => {
    if (to - from >= SHORTEST) {
      if (from > kept) ends.push(from);
      ends.push(to);
      whole.add(to);
      kept = to;
    } else if (to - kept >= SHORTEST) {
      ends.push(to);
      whole.add(to);
      kept = to;
    }
    from = to;
  };
  let depth = from === 0 ? 0 : DEEPEST_CUT;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(code)) {
      depth += 1;
      // The list begins: its first element stands alone.
      if (depth === DEEPEST_CUT) cut(at + 1);
    } else if (CLOSING.has(code)) {
      // What closes a list belongs to what follows it: the next request has another element there.
      if (depth === DEEPEST_CUT) cut(at);
      depth -= 1;
    } else if (code === COMMA && depth <= DEEPEST_CUT) cut(at);
  }
  cut(text.length);
  if (kept < text.length) ends.push(text.length);
  return { ends, whole };
}

/** What of an earlier cut holds for a text that is the same up to `to`, which lies in its list of messages. */
export function cutUpTo({ ends, whole }: Cut, text: string, list: { readonly from: number }, to: number): CutBefore {
  const isBetween = (end: number): boolean => end > list.from && end <= to && text.charCodeAt(end) === COMMA;
  const last = ends.findLastIndex((end) => whole.has(end) && isBetween(end));
  return { ends: ends.slice(0, last + 1) };
}

/** Jumps from quote to quote: a picture of megabytes is one jump. */
function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote > 0) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

const hashOf = (text: string): string => sha256(text).slice(0, 32);

/** A body of a stored call, segment by segment: what a later one may refer to. */
export interface StoredBody {
  readonly project: ProjectId;
  readonly call: CallId;
  readonly turn: TurnId;
  readonly of: 'came' | 'sent';
  /** The hash of each segment. */
  readonly segments: readonly string[];
}

export interface WrittenBody {
  readonly pieces: readonly Piece[];
  /** Texts that no earlier body has. */
  readonly renderings: readonly Rendering[];
  /** The hash of each segment. */
  readonly segments: readonly string[];
  /** Where it was cut; null if it is not stored as it is. */
  readonly cut: Cut | null;
}

/** A body whose beginning another one shares, with the hashes of its segments. */
export interface SharedStart extends CutBefore {
  readonly segments: readonly string[];
}

/** What a body may refer to: stored ones, and the one that came where this is what is sent for it. */
export type KnownBody = Omit<StoredBody, 'project' | 'turn'> & Partial<Pick<StoredBody, 'turn'>>;

/**
 * A body as pieces. What an earlier body has is named as a range of its segments; the rest is stored, with the node
 * that it came with. `from` and `to` of a piece count segments: a rendering is one, a range as many as it has.
 */
export function writeBody(
  text: string,
  node: NodeId,
  known: readonly KnownBody[],
  shared: SharedStart | null = null,
): WrittenBody {
  const plain = withoutSecrets(text);
  const isPlain = plain === text;
  const cut = cutBody(plain, isPlain && shared !== null ? shared : undefined);
  const { ends } = cut;
  const segmentAt = (index: number): string => plain.slice(ends[index - 1] ?? 0, ends[index]);
  const repeated = isPlain && shared !== null ? shared.segments.slice(0, shared.ends.length) : [];
  const hashes = ends.map((_, index) => repeated[index] ?? hashOf(segmentAt(index)));
  const places = placesIn(known);
  const pieces: Piece[] = [];
  const renderings = new Map<string, Rendering>();
  for (let index = 0; index < hashes.length;) {
    const run = longestRun(hashes, index, places.get(hashes[index] ?? '') ?? []);
    if (run !== null) {
      const { body, from, length } = run;
      const { call, turn, of } = body;
      pieces.push({ call, ...(turn === undefined ? {} : { turn }), of, from, to: from + length });
      index += length;
      continue;
    }
    const key = `${KEY_PREFIX}${hashes[index]}`;
    pieces.push({ node, key });
    renderings.set(key, { nodeId: node, key, bytes: segmentAt(index) });
    index += 1;
  }
  return { pieces, renderings: [...renderings.values()], segments: hashes, cut: isPlain ? cut : null };
}

export const KEY_PREFIX = 'gateway/';

interface Place {
  readonly body: KnownBody;
  readonly from: number;
}

function placesIn(known: readonly KnownBody[]): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const body of known) {
    body.segments.forEach((hash, from) => {
      const list = places.get(hash);
      if (list === undefined) places.set(hash, [{ body, from }]);
      else if (list.length < MOST_PLACES) list.push({ body, from });
    });
  }
  return places;
}

/** A segment that a body repeats over and over is not looked for everywhere. */
const MOST_PLACES = 8;

function longestRun(
  hashes: readonly string[],
  index: number,
  places: readonly Place[],
): (Place & { readonly length: number }) | null {
  let best: (Place & { readonly length: number }) | null = null;
  for (const place of places) {
    const { segments } = place.body;
    let length = 1;
    while (index + length < hashes.length && hashes[index + length] === segments[place.from + length]) length += 1;
    if (best === null || length > best.length) best = { ...place, length };
  }
  return best;
}
