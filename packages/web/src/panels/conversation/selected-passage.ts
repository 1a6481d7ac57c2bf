import { useEffect, useState } from 'react';

export interface SelectedPassage {
  readonly nodeId: string;
  readonly text: string;
  /** Where its last line ends on the screen. */
  readonly x: number;
  readonly y: number;
}

const WIDTH = 410;
const HEIGHT = 110;
const GAP = 8;

/**
 * The words selected inside one reply. Remembered while the reader types into the form about them, which clears the
 * selection.
 */
export function useSelectedPassage(scroller: HTMLDivElement | null): readonly [SelectedPassage | null, () => void] {
  const [passage, setPassage] = useState<SelectedPassage | null>(null);
  useEffect(() => {
    const isInside = (target: EventTarget | null): boolean =>
      target instanceof Element && target.closest('.selection-ask') !== null;
    const onEnd = (event: Event): void => {
      if (isInside(event.target)) return;
      // A click clears the selection only after this event.
      requestAnimationFrame(() => setPassage(read(scroller)));
    };
    const onStart = (event: Event): void => {
      if (!isInside(event.target)) setPassage(null);
    };
    document.addEventListener('pointerup', onEnd);
    document.addEventListener('keyup', onEnd);
    document.addEventListener('pointerdown', onStart);
    scroller?.addEventListener('scroll', onStart, { passive: true });
    return () => {
      document.removeEventListener('pointerup', onEnd);
      document.removeEventListener('keyup', onEnd);
      document.removeEventListener('pointerdown', onStart);
      scroller?.removeEventListener('scroll', onStart);
    };
  }, [scroller]);
  return [passage, () => setPassage(null)];
}

function read(scroller: HTMLDivElement | null): SelectedPassage | null {
  const selection = window.getSelection();
  if (scroller === null || selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const text = selection.toString().trim();
  const range = selection.getRangeAt(0);
  const start = replyAround(range.startContainer);
  const end = replyAround(range.endContainer);
  if (text === '' || start === null || start !== end || !scroller.contains(start)) return null;
  const nodeId = start.dataset['node'];
  if (nodeId === undefined) return null;
  const box = range.getBoundingClientRect();
  const below = box.bottom + GAP + HEIGHT < window.innerHeight;
  return {
    nodeId,
    text,
    x: Math.max(GAP, Math.min(box.left, window.innerWidth - Math.min(WIDTH, window.innerWidth - 2 * GAP) - GAP)),
    y: below ? box.bottom + GAP : Math.max(GAP, box.top - GAP - HEIGHT),
  };
}

function replyAround(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>('.reply[data-node]') ?? null;
}
