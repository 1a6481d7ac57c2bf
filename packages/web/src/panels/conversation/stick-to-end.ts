import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR = 80;

/** Stays at the end while the reader is there, and stops as soon as they scroll up. */
export function useStickToEnd(
  element: HTMLDivElement,
  changes: readonly (string | number)[],
  startsAtEnd: boolean,
): { readonly visible: boolean; readonly go: () => void } {
  const stuck = useRef(startsAtEnd);
  const [away, setAway] = useState(false);
  const stick = useCallback(() => {
    if (!stuck.current) return;
    element.scrollTop = element.scrollHeight;
    // Again in the next frame: turns that are measured in this one still shift the position, and would leave it short
    // of the end.
    requestAnimationFrame(() => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    });
  }, [element]);
  useEffect(() => {
    let lastTop = element.scrollTop;
    let lastHeight = element.scrollHeight;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const near = scrollHeight - scrollTop - clientHeight < NEAR;
      const grown = scrollHeight - lastHeight;
      // Only a reader scrolls up while the height stays the same, or grows as a stream does: measuring turns changes
      // position and height together, a long turn by many screens.
      if (near) stuck.current = true;
      else if (scrollTop < lastTop && grown >= 0 && grown < clientHeight) stuck.current = false;
      lastTop = scrollTop;
      lastHeight = scrollHeight;
      setAway(!near && !stuck.current);
    };
    // The height also changes when a turn is measured or unfolded: then the end moves, and the reader with it.
    const observer = new ResizeObserver(stick);
    // A growing composer takes space from below.
    observer.observe(element);
    const inner = element.querySelector('.turns');
    if (inner !== null) observer.observe(inner);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [element, stick]);
  useLayoutEffect(() => {
    stick();
    // The dependency list is what the caller says moves the end.
  }, [stick, ...changes]);
  const go = useCallback(() => {
    stuck.current = true;
    stick();
  }, [stick]);
  return { visible: away, go };
}
