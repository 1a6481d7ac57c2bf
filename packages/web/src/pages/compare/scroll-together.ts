import type { RefCallback } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';

/** Scrolls one column by as much as the reader scrolled the other. */
export function useScrollTogether(enabled: boolean): {
  readonly left: RefCallback<HTMLDivElement>;
  readonly right: RefCallback<HTMLDivElement>;
} {
  const [left, setLeft] = useState<HTMLDivElement | null>(null);
  const [right, setRight] = useState<HTMLDivElement | null>(null);
  // The column being scrolled: the other one's echo must not move it again.
  const leader = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    if (!enabled || left === null || right === null) return undefined;
    const follow = (from: HTMLDivElement, to: HTMLDivElement): (() => void) => {
      const lead = (): void => {
        leader.current = from;
      };
      const move = (): void => {
        if (leader.current === from) to.scrollTop = from.scrollTop;
      };
      for (const event of ['pointerenter', 'wheel', 'touchstart', 'focusin', 'keydown'] as const)
        from.addEventListener(event, lead, { passive: true });
      from.addEventListener('scroll', move, { passive: true });
      return () => {
        for (const event of ['pointerenter', 'wheel', 'touchstart', 'focusin', 'keydown'] as const)
          from.removeEventListener(event, lead);
        from.removeEventListener('scroll', move);
      };
    };
    const ends = [follow(left, right), follow(right, left)];
    return () => {
      for (const end of ends) end();
    };
  }, [enabled, left, right]);
  return {
    left: useCallback((element) => setLeft(element), []),
    right: useCallback((element) => setRight(element), []),
  };
}
