import type { Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';

/** Keeps what is being read in place when turns are inserted above it, or removed there. */
export function useKeepPlace(virtualizer: Virtualizer<HTMLDivElement, Element>, keys: readonly string[]): void {
  const anchor = useRef<{ readonly first: string | undefined; readonly key: string; readonly start: number } | null>(
    null,
  );
  // After every rendering: whatever was measured since is part of where the anchor is.
  useLayoutEffect(() => {
    const before = anchor.current;
    const at = before === null || before.first === keys[0] ? -1 : keys.indexOf(before.key);
    const start = virtualizer.measurementsCache[at]?.start;
    if (before !== null && start !== undefined && start !== before.start)
      virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + start - before.start);
    const next = virtualizer.measurementsCache[start === undefined ? (virtualizer.range?.startIndex ?? 0) : at];
    anchor.current = next === undefined ? null : { first: keys[0], key: String(next.key), start: next.start };
  });
}
