import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** Scrolls to what has just been said, once: at the end of a long dialog nobody would see it. */
export function useIntoView<Shown extends HTMLElement>(said: unknown): RefObject<Shown | null> {
  const shown = useRef<Shown>(null);
  useEffect(() => {
    if (said !== null) shown.current?.scrollIntoView({ block: 'nearest' });
  }, [said]);
  return shown;
}
