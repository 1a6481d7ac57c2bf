import { useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR_END = 24;
/** Whatever a reader scrolls with. */
const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Keeps the end of a growing text in sight, unless its reader has scrolled away from it. Returns its ref. */
export function useFollowEnd(isGrowing: boolean): (element: HTMLDivElement | null) => void {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const observer = useRef<ResizeObserver | null>(null);
  useLayoutEffect(() => {
    if (element === null || !isGrowing) return undefined;
    let isAtEnd = true;
    // Words are formatted and measured after they have come, and the end moves then, too: it is left only by a reader
    // who scrolls up.
    let isTouched = false;
    // Where the words above are formatted, the browser moves what is read with them: that is no way back to the end.
    let isWheelUp = false;
    let lastTop = 0;
    const touch = (event: Event): void => {
      isTouched = true;
      // At once: before the first pixel of the movement is told, the text may have grown again.
      isWheelUp = event instanceof WheelEvent && event.deltaY < 0;
      if (isWheelUp && element.scrollHeight > element.clientHeight) isAtEnd = false;
    };
    const scrolled = (): void => {
      const by = element.scrollTop - lastTop;
      lastTop = element.scrollTop;
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (isTouched && by < 0 && left >= 1) isAtEnd = false;
      else if (by > 0 && left < NEAR_END && !isWheelUp) isAtEnd = true;
    };
    observer.current = new ResizeObserver(() => {
      if (!isAtEnd) return;
      element.scrollTop = element.scrollHeight;
      // Told of later: between, the reader may have begun to scroll up, and this movement is none of theirs.
      lastTop = element.scrollTop;
    });
    element.addEventListener('scroll', scrolled, { passive: true });
    for (const input of INPUTS) element.addEventListener(input, touch, { passive: true });
    return () => {
      observer.current?.disconnect();
      observer.current = null;
      element.removeEventListener('scroll', scrolled);
      for (const input of INPUTS) element.removeEventListener(input, touch);
    };
  }, [element, isGrowing]);
  // Whatever has joined it meanwhile, as the call of a tool: what is observed already stays so.
  useEffect(() => {
    for (const child of element?.children ?? []) observer.current?.observe(child);
  });
  return setElement;
}
