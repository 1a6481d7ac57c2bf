import { useEffect } from 'react';
import type { Places } from './use-words.ts';

/**
 * In the margin each note stands beside its words, or below the note before it. A note that is taller than the rest of
 * the reply makes the reply taller: it must not lie on the next one.
 */
export function useArranged(list: HTMLElement | null, order: readonly string[], places: Places): void {
  const key = order.join(' ');
  useEffect(() => {
    const reply = list?.closest<HTMLElement>('.reply') ?? null;
    if (list === null || reply === null) return undefined;
    // Once it is there, the room stays: words that move sideways while one scrolls cannot be read.
    const conversation = list.closest<HTMLElement>('.conversation');
    if (conversation !== null) conversation.dataset['asked'] = '';
    const notes = [...list.querySelectorAll<HTMLElement>(':scope > [data-note]')];
    const arrange = (): void => {
      const gap = Number.parseFloat(getComputedStyle(list).rowGap) || 0;
      const { top } = reply.getBoundingClientRect();
      let end = 0;
      for (const note of notes) {
        const words = places.get(note.dataset['note'] ?? '')?.getClientRects()[0];
        const start = Math.max(end, words === undefined ? 0 : words.top - top);
        note.style.setProperty('--lead', `${Math.round(start - end)}px`);
        end = start + note.offsetHeight + gap;
      }
      reply.style.setProperty('--notes', `${Math.ceil(end)}px`);
    };
    const observer = new ResizeObserver(arrange);
    for (const element of [reply, ...notes]) observer.observe(element);
    arrange();
    return () => {
      observer.disconnect();
      reply.style.removeProperty('--notes');
    };
  }, [list, key, places]);
}
