import { useEffect, useState } from 'react';

/** Where people read: a third of the way down. */
const READING_LINE = 0.33;
/** Fractions of a pixel: what is scrolled to its end is at its end. */
const NEARLY = 4;

/** The message of the conversation that is being read, followed as it scrolls and grows. */
export function useReadingPlace(): string | null {
  const [nodeId, setNodeId] = useState<string | null>(null);
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const scroller = document.querySelector<HTMLElement>('.conversation');
        setNodeId(scroller === null ? null : nodeRead(scroller));
      });
    };
    const main = document.querySelector('.main');
    const onScroll = ({ target }: Event): void => {
      if (target instanceof Element && target.classList.contains('conversation')) look();
    };
    // Scrolling does not bubble; and turns come and go without it.
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    const changes = new MutationObserver(look);
    if (main !== null) changes.observe(main, { childList: true, subtree: true });
    look();
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('scroll', onScroll, { capture: true });
      changes.disconnect();
    };
  }, []);
  return nodeId;
}

/** The message that began the turn at the reading line, or the last one of its reply so far. */
function nodeRead(scroller: HTMLElement): string | null {
  const turns = [...scroller.querySelectorAll<HTMLElement>('.turn[data-node]')];
  const { top, height } = scroller.getBoundingClientRect();
  const isAtEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - NEARLY;
  // At its end the last turn is read, however little of the frame it fills; likewise the first one at the start.
  const isAtStart = scroller.scrollTop <= NEARLY && !isAtEnd;
  const line = isAtStart ? top + 1 : isAtEnd ? top + height : top + height * READING_LINE;
  const passed = turns.filter((turn) => turn.getBoundingClientRect().top <= line);
  const turn = passed.at(-1) ?? turns[0];
  const reply = turn?.querySelector<HTMLElement>('.reply[data-node]') ?? null;
  const isReply = reply !== null && reply.getBoundingClientRect().top <= line;
  return (isReply ? reply : turn)?.dataset['node'] ?? null;
}
