import { Buffer } from 'node:buffer';
import { isPlainObject, sha256 } from '@bough/core';
import type { GeminiPart, GeminiRequest } from '@bough/providers';
import type { World } from '../../world.ts';

// A reply that takes several requests: each one but the last ends with a token, with which the next one goes on.

const MEMORY = 'gemini hop';

/** How a token is refused that does not stand for the request. */
export const UNKNOWN_TOKEN = { rule: 'SIM-GEM-CONTINUATION', detail: 'Invalid continuation token.' } as const;

export interface Hop {
  readonly parts: readonly GeminiPart[];
  /** Absent if the reply ends here. */
  readonly token?: string;
}

/** What is asked: a token is good only for the request that it was given to. */
const askedIn = ({ contents }: GeminiRequest, model: string): string => sha256(JSON.stringify([model, contents]));

/** The first hop of a reply that takes as many of them. */
export function firstHop(
  parts: readonly GeminiPart[],
  hops: number,
  request: GeminiRequest,
  model: string,
  world: World,
): Hop {
  return hopOf(inHops(parts, hops), askedIn(request, model), world);
}

/** The hop that a token stands for, or null if it does not stand for this request. */
export function nextHop(token: unknown, request: GeminiRequest, model: string, world: World): Hop | null {
  const held = world.recall(MEMORY, String(token));
  if (!isPlainObject(held) || held['asked'] !== askedIn(request, model) || !Array.isArray(held['rest'])) return null;
  return hopOf(held['rest'], held['asked'], world);
}

function hopOf([first = [], ...rest]: readonly (readonly GeminiPart[])[], asked: string, world: World): Hop {
  if (rest.length === 0) return { parts: first };
  const token = Buffer.from(world.newId('hop_', 16)).toString('base64');
  world.remember(MEMORY, token, { asked, rest });
  return { parts: first, token };
}

/** Cuts the longest plain text; what precedes it belongs to the first hop, what follows it to the last. */
function inHops(parts: readonly GeminiPart[], hops: number): readonly (readonly GeminiPart[])[] {
  const plain = parts.filter((part) => isPlainText(part));
  const longest = plain.toSorted((a, b) => (b.text?.length ?? 0) - (a.text?.length ?? 0))[0];
  const at = longest === undefined ? -1 : parts.indexOf(longest);
  if (at < 0 || hops < 2) return [parts];
  const characters = Array.from(longest?.text ?? '');
  const size = Math.ceil(characters.length / hops);
  return Array.from({ length: hops }, (_, hop) => [
    ...(hop === 0 ? parts.slice(0, at) : []),
    { text: characters.slice(hop * size, (hop + 1) * size).join('') },
    ...(hop === hops - 1 ? parts.slice(at + 1) : []),
  ]);
}

const isPlainText = ({ text, thought, thoughtSignature }: GeminiPart): boolean =>
  text !== undefined && thought !== true && thoughtSignature === undefined;
