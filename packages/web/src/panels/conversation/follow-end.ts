import type { RefObject } from 'react';
import { useLayoutEffect, useRef } from 'react';

const NEAR_END = 24;

/** Keeps the end of a growing text in sight, unless its reader has scrolled away from it. */
export function useFollowEnd(isGrowing: boolean): readonly [RefObject<HTMLDivElement | null>, () => void] {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = element;
    if (isGrowing && isAtEnd.current && current !== null) current.scrollTop = current.scrollHeight;
  });
  const scrolled = (): void => {
    const { current } = element;
    if (current !== null) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END;
  };
  return [element, scrolled];
}
