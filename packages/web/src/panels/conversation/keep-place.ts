import type { Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';

/** Keeps what is being read in place when older turns are inserted above it. */
export function useKeepPlace(virtualizer: Virtualizer<HTMLDivElement, Element>, keys: readonly string[]): void {
  const firstKey = useRef(keys[0]);
  useLayoutEffect(() => {
    const before = firstKey.current;
    firstKey.current = keys[0];
    if (before === undefined || before === keys[0]) return;
    const at = keys.indexOf(before);
    if (at <= 0) return;
    const added = virtualizer.measurementsCache[at]?.start ?? 0;
    virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + added);
  }, [virtualizer, keys]);
}
