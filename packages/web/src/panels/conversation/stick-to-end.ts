import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR = 80;
/** Whatever a reader scrolls with. */
const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

interface StickToEnd {
  readonly startsAtEnd: boolean;
  /** Reads the end of the branch; null if what is loaded reaches it. Otherwise the last loaded turn is not the end. */
  readonly openEnd: (() => Promise<boolean>) | null;
}

/** Stays at the end while the reader is there, and stops as soon as they scroll up. */
export function useStickToEnd(
  element: HTMLDivElement,
  changes: readonly (string | number)[],
  { startsAtEnd, openEnd }: StickToEnd,
): { readonly visible: boolean; readonly go: () => void; readonly leave: () => void } {
  const stuck = useRef(startsAtEnd);
  const reachesEnd = useRef(openEnd === null);
  // On the way to the end that the reader asked for: until they touch the page again, no movement is theirs.
  const isGoing = useRef(false);
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
  useLayoutEffect(() => {
    reachesEnd.current = openEnd === null;
    if (openEnd !== null) stuck.current = false;
    // Only now is the end in the page. Before, this would be the end of what was replaced.
    else if (isGoing.current) {
      stuck.current = true;
      stick();
    }
  }, [openEnd, stick]);
  useEffect(() => {
    let lastTop = element.scrollTop;
    let lastHeight = element.scrollHeight;
    let isTouched = false;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const near = scrollHeight - scrollTop - clientHeight < NEAR;
      const grown = scrollHeight - lastHeight;
      // Measuring turns moves the position and changes the height, too, in any combination: while a conversation opens,
      // one turn may shrink as the next one is formatted. Without a hand on it, only a place that moves in what stays
      // as high as it was is a reader's doing, as when the browser looks for words in the page.
      const isOfReader = isTouched ? grown >= 0 && grown < clientHeight : grown === 0;
      if (near) {
        stuck.current = reachesEnd.current;
        isTouched = false;
      } else if (!isGoing.current && scrollTop < lastTop && isOfReader) stuck.current = false;
      lastTop = scrollTop;
      lastHeight = scrollHeight;
      setAway(!stuck.current && !(near && reachesEnd.current));
    };
    // The height also changes when a turn is measured or unfolded: then the end moves, and the reader with it.
    const observer = new ResizeObserver(stick);
    // A growing composer takes space from below.
    observer.observe(element);
    const inner = element.querySelector('.turns');
    if (inner !== null) observer.observe(inner);
    const onTouch = (): void => {
      isGoing.current = false;
      isTouched = true;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const input of INPUTS) element.addEventListener(input, onTouch, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
      for (const input of INPUTS) element.removeEventListener(input, onTouch);
    };
  }, [element, stick]);
  useLayoutEffect(() => {
    stick();
    // The dependency list is what the caller says moves the end.
  }, [stick, ...changes]);
  const go = useCallback(() => {
    isGoing.current = true;
    const read = async (): Promise<void> => {
      if (openEnd !== null) {
        if (!(await openEnd())) isGoing.current = false;
      } else {
        stuck.current = true;
        stick();
      }
    };
    void read();
  }, [stick, openEnd]);
  const leave = useCallback(() => {
    isGoing.current = false;
    stuck.current = false;
  }, []);
  return { visible: away || openEnd !== null, go, leave };
}
