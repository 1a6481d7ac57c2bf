import { distinct, sourceKey } from './read.ts';
import type { Citation, Source } from './types.ts';

/** A number in a text: after which character, and the numbers of the sources. */
export interface CitedPlace {
  readonly end: number;
  readonly numbers: readonly number[];
}

/** The sources of a reply, each once: its number is its place, counted from one. */
export function sourcesOf(citations: readonly Citation[]): readonly Source[] {
  return distinct(citations.map(({ source }) => source));
}

/** Where the numbers stand in one text of a reply. */
export function citedPlaces(citations: readonly Citation[], sources: readonly Source[]): readonly CitedPlace[] {
  const numbers = new Map(sources.map((source, index) => [sourceKey(source), index + 1]));
  const places = new Map<number, Set<number>>();
  for (const { end, source } of citations) {
    const number = numbers.get(sourceKey(source));
    if (number === undefined) continue;
    const there = places.get(end) ?? new Set();
    places.set(end, there.add(number));
  }
  return [...places]
    .map(([end, there]) => ({ end, numbers: [...there].sort((one, other) => one - other) }))
    .sort((one, other) => one.end - other.end);
}
