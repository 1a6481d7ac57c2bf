import { useEffect, useState } from 'react';
import { askAboutWords } from '../../session/conversation-bus.ts';

export interface SelectedPassage {
  readonly nodeId: string;
  readonly reply: HTMLElement;
  /** A copy: the selection is gone as soon as the reader types into the form. */
  readonly range: Range;
  readonly text: string;
  /** It was asked for by the keyboard, which goes on in the form. */
  readonly byKeyboard: boolean;
}

const FORM = '.selection-ask';
/** The keys that change what is marked. */
const MARKING = /^(Arrow\w+|Page\w+|Home|End|Shift|a)$/i;
/** Fingers mark by moving two handles: what is marked meanwhile is not what they want. */
const HANDLES_REST_MS = 300;

/**
 * The words selected inside one reply, by mouse, finger or keyboard. Remembered while the reader types into the form
 * about them, which clears the selection.
 */
export function useSelectedPassage(scroller: HTMLDivElement | null): readonly [SelectedPassage | null, () => void] {
  const [passage, setPassage] = useState<SelectedPassage | null>(null);
  useEffect(() => {
    let isTouch = false;
    let rest: number | undefined;
    const look = (): void => setPassage(read(scroller));
    const onEnd = (event: PointerEvent | KeyboardEvent): void => {
      // Escape closes the form: were every key looked at, it would be back as soon as that one is let go of.
      if (event instanceof KeyboardEvent && !MARKING.test(event.key)) return;
      if (isInForm(event.target)) return;
      // A click clears the selection only after this event.
      requestAnimationFrame(look);
    };
    const onStart = (event: PointerEvent): void => {
      isTouch = event.pointerType !== 'mouse';
      if (!isInForm(event.target)) setPassage(null);
    };
    // The text may move by itself while it is being asked about.
    const onScroll = (): void => {
      if (!isInForm(document.activeElement)) setPassage(null);
    };
    // The handles of a marked text are no part of the page: their moves are told by nothing else.
    const onChange = (): void => {
      window.clearTimeout(rest);
      if (isTouch && !isInForm(document.activeElement)) rest = window.setTimeout(look, HANDLES_REST_MS);
    };
    const onAsk = (): void => {
      const asked = read(scroller) ?? wholeReply(scroller);
      setPassage((before) => {
        const next = asked ?? before;
        return next === null ? null : { ...next, byKeyboard: true };
      });
    };
    document.addEventListener('pointerup', onEnd);
    document.addEventListener('keyup', onEnd);
    document.addEventListener('pointerdown', onStart);
    document.addEventListener('selectionchange', onChange);
    scroller?.addEventListener('scroll', onScroll, { passive: true });
    const stopAsking = askAboutWords.on(onAsk);
    return () => {
      window.clearTimeout(rest);
      document.removeEventListener('pointerup', onEnd);
      document.removeEventListener('keyup', onEnd);
      document.removeEventListener('pointerdown', onStart);
      document.removeEventListener('selectionchange', onChange);
      scroller?.removeEventListener('scroll', onScroll);
      stopAsking();
    };
  }, [scroller]);
  return [passage, () => setPassage(null)];
}

const isInForm = (target: EventTarget | null): boolean => target instanceof Element && target.closest(FORM) !== null;

function read(scroller: HTMLDivElement | null): SelectedPassage | null {
  const selection = window.getSelection();
  if (scroller === null || selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const reply = replyAround(range.startContainer);
  if (reply === null || reply !== replyAround(range.endContainer) || !scroller.contains(reply)) return null;
  return passageOf(reply, range, selection.toString());
}

/** Nothing is marked: then it is all of the reply that the keyboard is in. */
function wholeReply(scroller: HTMLDivElement | null): SelectedPassage | null {
  const reply = document.activeElement === null ? null : replyAround(document.activeElement);
  const texts = [...(reply?.querySelectorAll('.reply-body > .prose') ?? [])];
  const [first, last] = [texts[0], texts.at(-1)];
  if (reply === null || first === undefined || last === undefined || scroller?.contains(reply) !== true) return null;
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  return passageOf(reply, range, range.toString());
}

function passageOf(reply: HTMLElement, range: Range, selected: string): SelectedPassage | null {
  const nodeId = reply.dataset['node'];
  const text = selected.trim();
  if (nodeId === undefined || text === '') return null;
  return { nodeId, reply, range: range.cloneRange(), text, byKeyboard: false };
}

/** The words of a reply, not of what stands beside or below it. */
function replyAround(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  if (element?.closest('.question-notes') != null) return null;
  return element?.closest<HTMLElement>('.reply[data-node]') ?? null;
}
