import { useEffect, useState } from 'react';
import type { BesideQuestion } from '../../session/questions.ts';
import { rangeOf, shownText } from './shown-text.ts';

/** Where the words of each question stand in the reply, by its branch; null where they do not. */
export type Places = ReadonlyMap<string, Range | null>;
const NOWHERE: Places = new Map();

/** Looked for again whenever the text changes: when it is formatted, or when reasoning is opened. */
export function useWords(body: Element | null, questions: readonly BesideQuestion[]): Places {
  const [places, setPlaces] = useState(NOWHERE);
  const wanted = JSON.stringify(questions.map(({ branchId, details }) => [branchId, details && wordsOf(details)]));
  useEffect(() => {
    if (body === null) return undefined;
    let frame = 0;
    const look = (): void => {
      const shown = shownText(body);
      const asked = JSON.parse(wanted) as readonly (readonly [string, ReturnType<typeof wordsOf> | null])[];
      setPlaces(new Map(asked.map(([branchId, words]) => [branchId, words === null ? null : rangeOf(shown, words)])));
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    });
    look();
    observer.observe(body, { childList: true, characterData: true, subtree: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [body, wanted]);
  return places;
}

const wordsOf = ({ quote, before, after, offset }: NonNullable<BesideQuestion['details']>) => ({
  quote,
  before,
  after,
  offset,
});

/** In the order of their words; those whose words are not there come last. */
export function inOrderOfWords(questions: readonly BesideQuestion[], places: Places): readonly BesideQuestion[] {
  return questions.toSorted((a, b) => {
    const [first, second] = [places.get(a.branchId) ?? null, places.get(b.branchId) ?? null];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return first.compareBoundaryPoints(Range.START_TO_START, second);
  });
}
