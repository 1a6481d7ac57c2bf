import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Boundary } from '../../parts/boundary.tsx';
import { ArrowDownIcon } from '../../parts/icons.tsx';
import { onSent } from '../../session/composer-bus.ts';
import { stayHere } from '../../session/conversation-bus.ts';
import { useIsPrinting } from '../../session/printing.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { useKeepPlace } from './keep-place.ts';
import { LiveReply } from './live-reply.tsx';
import type { PlacedCard } from './summary.tsx';
import { useStickToEnd } from './stick-to-end.ts';
import { TurnAsWritten } from './turn-as-written.tsx';
import { Turn } from './turn.tsx';

interface TurnsProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** At least one. */
  readonly groups: readonly MessageGroupView[];
  readonly breakNodeId: string | null;
  readonly live: LiveTurn | null;
  readonly focusNode: string | null;
  readonly scroller: HTMLDivElement;
  /** Reads older turns; null if there are none, or if they are already being read. */
  readonly readOlder: (() => void) | null;
  /** Reads newer turns, likewise. */
  readonly readNewer: (() => void) | null;
  /** Shows the end of the branch; null if it is loaded. */
  readonly openEnd: (() => Promise<boolean>) | null;
  /** Shows the beginning of the branch; null if it is loaded. */
  readonly openStart: (() => Promise<boolean>) | null;
  /** Names what is on its way, below the turns: something else than before moves the end. */
  readonly outgoing: string;
  /** A summary, behind the last of the turns that it stands for. */
  readonly card: PlacedCard | null;
}

const ESTIMATED_HEIGHT = 320;

/** Only what is near the screen is in the page, so that five thousand messages scroll like five. */
export function Turns({
  projectId,
  branch,
  groups,
  breakNodeId,
  live,
  focusNode,
  scroller,
  readOlder,
  readNewer,
  openEnd,
  openStart,
  outgoing,
  card,
}: TurnsProps) {
  const t = useT();
  const keys = useMemo(() => groups.map(keyOf), [groups]);
  const focusIndex = focusNode === null ? -1 : groups.findIndex((group) => holds(group, focusNode));
  const virtualizer = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: 4,
    getItemKey: (index) => keys[index] ?? index,
    // If it started at the top, the first turns would be rendered and measured only to be left at once.
    initialOffset: () =>
      focusIndex < 0
        ? Math.max(0, groups.length * ESTIMATED_HEIGHT - scroller.clientHeight)
        : focusIndex * ESTIMATED_HEIGHT,
  });
  const isPrinting = useIsPrinting();
  const onScreen = virtualizer.getVirtualItems();
  const items = isPrinting ? keys.map((key, index) => ({ key, index, start: 0 })) : onScreen;
  useKeepPlace(virtualizer, keys);

  const wantsOlder = (onScreen[0]?.index ?? groups.length) < 3;
  const wantsNewer = (onScreen.at(-1)?.index ?? 0) > groups.length - 4;
  useEffect(() => {
    if (wantsOlder) readOlder?.();
  }, [wantsOlder, readOlder]);
  useEffect(() => {
    if (wantsNewer) readNewer?.();
  }, [wantsNewer, readNewer]);

  const jump = useStickToEnd(scroller, [groups.length, keys.at(-1) ?? '', live?.lastSeq ?? 0, outgoing], {
    startsAtEnd: focusNode === null,
    openEnd,
  });
  useEffect(() => onSent(jump.go), [jump.go]);
  useEffect(() => stayHere.on(jump.leave), [jump.leave]);
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (focusNode === null) focused.current = null;
    if (focusIndex < 0 || focused.current === focusNode) return;
    focused.current = focusNode;
    jump.leave();
    virtualizer.scrollToIndex(focusIndex, { align: 'start' });
    // Once: the reader may have scrolled on, and turns that are added above move it.
  }, [focusIndex, focusNode, virtualizer, jump.leave]);
  useFocusOnce(scroller, focusNode, focusIndex >= 0);
  const wantsStart = useRef(false);
  useLayoutEffect(() => {
    // Once what was read is in the page: before, the reader would be taken to the start of something else.
    if (!wantsStart.current || openStart !== null) return;
    wantsStart.current = false;
    virtualizer.scrollToOffset(0);
  }, [openStart, keys, virtualizer]);
  const goToStart = useCallback(() => {
    jump.leave();
    if (openStart === null) virtualizer.scrollToOffset(0);
    else {
      wantsStart.current = true;
      const read = async (): Promise<void> => {
        if (!(await openStart())) wantsStart.current = false;
      };
      void read();
    }
  }, [jump.leave, openStart, virtualizer]);
  useHomeAndEnd(scroller, goToStart, jump.go);

  return (
    <>
      {isPrinting && (openStart !== null || openEnd !== null) ? <p className="print-part">{t('print.part')}</p> : null}
      <div className="turns" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const group = groups[item.index];
          if (group === undefined) return null;
          const isLast = openEnd === null && item.index === groups.length - 1;
          const liveHere = isLast && live !== null && isAnsweredBy(group, live) ? live : null;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={isPrinting ? undefined : virtualizer.measureElement}
              className="turn-slot"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Boundary fallback={<TurnAsWritten group={group} live={liveHere} />} subject={group}>
                <Turn
                  projectId={projectId}
                  branch={branch}
                  group={group}
                  isLast={isLast}
                  breakNodeId={breakNodeId}
                  highlighted={focusNode}
                  live={liveHere}
                >
                  {liveHere === null ? null : <LiveReply live={liveHere} />}
                </Turn>
              </Boundary>
              {card !== null && card.upTo !== null && holds(group, card.upTo) ? card.element : null}
            </div>
          );
        })}
      </div>
      {jump.visible ? (
        <button type="button" className="button jump" aria-label={t('conversation.end')} onClick={jump.go}>
          <ArrowDownIcon />
        </button>
      ) : null}
    </>
  );
}

/**
 * Whoever follows a link to a message has the keyboard there: at first, and only if it is nowhere else, because a
 * message can also be chosen in the graph, where one goes on with the arrow keys.
 */
function useFocusOnce(scroller: HTMLDivElement, nodeId: string | null, isLoaded: boolean): void {
  const [first] = useState(nodeId);
  useEffect(() => {
    if (first === null || first !== nodeId || !isLoaded) return undefined;
    let left = 40;
    const timer = window.setInterval(() => {
      const message = scroller.querySelector<HTMLElement>('[data-highlighted]');
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (isFree) message?.focus({ preventScroll: true });
      left -= 1;
      if (message !== null || !isFree || left === 0) window.clearInterval(timer);
    }, 50);
    return () => window.clearInterval(timer);
  }, [scroller, first, nodeId, isLoaded]);
}

/** The keys that lead to both ends, also where those are not loaded. */
function useHomeAndEnd(scroller: HTMLDivElement, goToStart: () => void, goToEnd: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isOurs = event.target === scroller && !event.shiftKey && !event.altKey && !event.metaKey;
      if (!isOurs || (event.key !== 'Home' && event.key !== 'End')) return;
      event.preventDefault();
      if (event.key === 'End') goToEnd();
      else goToStart();
    };
    scroller.addEventListener('keydown', onKey);
    return () => scroller.removeEventListener('keydown', onKey);
  }, [scroller, goToStart, goToEnd]);
}

function keyOf(group: MessageGroupView, index: number): string {
  return group.user?.id ?? group.reply[0]?.id ?? `turn ${index}`;
}

function holds(group: MessageGroupView, nodeId: string): boolean {
  return group.user?.id === nodeId || group.reply.some((node) => node.id === nodeId);
}

/** Whether the live turn answers this group's message: then the stream shows what is stored of its reply so far. */
function isAnsweredBy(
  group: MessageGroupView,
  { turnId, userNodeId }: { readonly turnId: string; readonly userNodeId: string | null },
): boolean {
  return group.turnId === turnId || (userNodeId !== null && group.user?.id === userNodeId);
}
