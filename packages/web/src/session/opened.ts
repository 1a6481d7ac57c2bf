import { useState } from 'react';

/**
 * What the reader opened or closed on this page. A turn that scrolls out of sight leaves the page, and one that ends is
 * read again: neither may undo a choice.
 */
const choices = new Map<string, boolean>();

/** What is made here is open when it appears. */
export const setOpened = (place: string, open: boolean): void => void choices.set(place, open);

/** Whether something is open; null until the reader chooses. */
export function useOpened(place: string): readonly [boolean | null, (open: boolean) => void] {
  const [, setChanges] = useState(0);
  const choose = (open: boolean): void => {
    choices.set(place, open);
    setChanges((before) => before + 1);
  };
  return [choices.get(place) ?? null, choose];
}
