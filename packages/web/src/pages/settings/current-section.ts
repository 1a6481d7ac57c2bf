import { useRouterState } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useEffect, useState } from 'react';

/** What a reader moves the page with; from then on a link that was followed holds it no longer. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * The section that is being read: the one at the top of the window. A link to a section leads there, also while the
 * sections around it still get their content.
 */
export function useCurrentSection(scroller: RefObject<HTMLElement | null>, isReady: boolean): string | null {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    const frame = scroller.current;
    if (frame === null || hash === '') return undefined;
    const lead = (): void => document.getElementById(hash)?.scrollIntoView({ block: 'start' });
    lead();
    const stop = onResize(frame, lead);
    for (const move of MOVES) frame.addEventListener(move, stop, { once: true, passive: true });
    return () => {
      stop();
      for (const move of MOVES) frame.removeEventListener(move, stop);
    };
  }, [scroller, hash, isReady]);
  useEffect(() => {
    const frame = scroller.current;
    if (frame === null) return undefined;
    const look = (): void => {
      const sections = [...frame.querySelectorAll('section[id]')];
      const { top, height } = frame.getBoundingClientRect();
      const isAtEnd = frame.scrollTop > 0 && frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 2;
      const begun = sections.filter((section) => section.getBoundingClientRect().top <= top + height / 3);
      // Several short ones share the last window: a link that was followed says which of them is meant.
      const last =
        sections.find((each) => each.id === hash && each.getBoundingClientRect().top >= top - 2) ?? sections.at(-1);
      setCurrent((isAtEnd ? last : (begun.at(-1) ?? sections[0]))?.id ?? null);
    };
    look();
    // What is read also changes when a section gets its content, and nothing is scrolled then.
    const stop = onResize(frame, look);
    frame.addEventListener('scroll', look, { passive: true });
    return () => {
      stop();
      frame.removeEventListener('scroll', look);
    };
  }, [scroller, isReady, hash]);
  useEffect(() => {
    // On a phone the names stand in one line, which may be longer than the window.
    const link = document.querySelector<HTMLElement>('.settings-nav [aria-current]');
    const line = link?.closest('nav');
    if (link === null || line === null || line === undefined) return;
    const [inner, outer] = [link.getBoundingClientRect(), line.getBoundingClientRect()];
    line.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [current]);
  return current;
}

/** Calls back when the frame or what is in it has another size. Returns what ends that. */
function onResize(frame: HTMLElement, then: () => void): () => void {
  const observer = new ResizeObserver(then);
  for (const element of [frame, ...frame.children]) observer.observe(element);
  return () => observer.disconnect();
}
