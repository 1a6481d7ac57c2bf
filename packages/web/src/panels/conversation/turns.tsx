import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { Boundary } from '../../parts/boundary.tsx';
import { ArrowDownIcon } from '../../parts/icons.tsx';
import { onSent } from '../../session/composer-bus.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { useKeepPlace } from './keep-place.ts';
import { LiveReply } from './live-reply.tsx';
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
}

const ESTIMATED_HEIGHT = 320;

/** Only what is near the screen is in the page, so that five thousand messages scroll like five. */
export function Turns({ projectId, branch, groups, breakNodeId, live, focusNode, scroller, readOlder }: TurnsProps) {
  const t = useT();
  const keys = useMemo(() => groups.map(keyOf), [groups]);
  const virtualizer = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: 4,
    getItemKey: (index) => keys[index] ?? index,
    // If it started at the top, the first turns would be rendered and measured only to be left at once.
    initialOffset: () =>
      focusNode === null ? Math.max(0, groups.length * ESTIMATED_HEIGHT - scroller.clientHeight) : 0,
  });
  const items = virtualizer.getVirtualItems();
  useKeepPlace(virtualizer, keys);

  const focusIndex = focusNode === null ? -1 : groups.findIndex((group) => holds(group, focusNode));
  const wantsOlder = (items[0]?.index ?? groups.length) < 3 || (focusNode !== null && focusIndex < 0);
  useEffect(() => {
    if (wantsOlder) readOlder?.();
  }, [wantsOlder, readOlder]);

  const jump = useStickToEnd(scroller, [groups.length, live?.lastSeq ?? 0], focusNode === null);
  useEffect(() => onSent(jump.go), [jump.go]);
  useLayoutEffect(() => {
    if (focusIndex >= 0) virtualizer.scrollToIndex(focusIndex, { align: 'start' });
  }, [focusIndex, focusNode, virtualizer]);

  return (
    <>
      <div className="turns" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const group = groups[item.index];
          if (group === undefined) return null;
          const isLast = item.index === groups.length - 1;
          const liveHere = isLast && live !== null && isAnsweredBy(group, live) ? live : null;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtualizer.measureElement}
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
                  {liveHere === null ? null : <LiveReply projectId={projectId} live={liveHere} />}
                </Turn>
              </Boundary>
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
