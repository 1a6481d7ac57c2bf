import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useT } from '../../i18n/index.ts';
import { liveTurns } from '../../session/live.ts';
import { historyQuery, providersQuery } from '../../session/queries.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { LiveReply } from './live-reply.tsx';
import { Turn } from './turn.tsx';
import { useStickToEnd } from './stick-to-end.ts';
import './conversation.css';

interface ConversationProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly focusNode: string | null;
}

/** The turns of a branch. Only what is near the screen is in the page, so that five thousand messages scroll like five. */
export function Conversation({ projectId, branch, focusNode }: ConversationProps) {
  const t = useT();
  const history = useInfiniteQuery(historyQuery(projectId, branch.name));
  const providers = useQuery(providersQuery);
  const running = branch.runningTurnId;
  useEffect(() => {
    if (running !== null) liveTurns.follow(projectId, running);
  }, [projectId, running]);
  const live = useLiveTurn(running);

  const groups = useMemo(() => (history.data?.pages ?? []).toReversed().flatMap((page) => page.groups), [history.data]);
  const breakNodeId = history.data?.pages[0]?.breakNodeId ?? null;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 320,
    overscan: 4,
    getItemKey: (index) => keyOf(groups[index], index),
  });
  const items = virtualizer.getVirtualItems();

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = history;
  const firstVisible = items[0]?.index ?? 0;
  useEffect(() => {
    if (firstVisible < 3 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [firstVisible, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const jump = useStickToEnd(scroller, [groups.length, live?.lastSeq ?? 0]);
  const focusIndex = focusNode === null ? -1 : groups.findIndex((group) => group.user?.id === focusNode || group.reply.some((node) => node.id === focusNode));
  useLayoutEffect(() => {
    if (focusIndex >= 0) virtualizer.scrollToIndex(focusIndex, { align: 'start' });
  }, [focusIndex, virtualizer]);

  if (history.isError) return <div className="conversation"><p className="notice danger" role="alert">{history.error.message}</p></div>;
  const isEmpty = history.isSuccess && groups.length === 0;
  return (
    <div className="conversation" ref={scroller} tabIndex={0} role="region" aria-label={t('conversation.label')}>
      {isEmpty ? (
        <div className="welcome">
          <h2>{t('conversation.empty.title')}</h2>
          <p>{t('conversation.empty.body')}</p>
          {branch.provider.startsWith('simulated') && providers.isSuccess ? <p className="notice">{t('conversation.simulated')}</p> : null}
        </div>
      ) : null}
      {hasNextPage ? <p className="older">{isFetchingNextPage ? t('app.loading') : t('conversation.older')}</p> : null}
      <div className="turns" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const group = groups[item.index];
          if (group === undefined) return null;
          const isLast = item.index === groups.length - 1;
          const liveHere = isLast && live !== null && isRunning(group, live.turnId, live.userNodeId) ? live : null;
          return (
            <div key={item.key} data-index={item.index} ref={virtualizer.measureElement} className="turn-slot" style={{ transform: `translateY(${item.start}px)` }}>
              <Turn projectId={projectId} branch={branch} group={group} isLast={isLast} breakNodeId={breakNodeId} highlighted={focusNode}>
                {liveHere === null ? null : <LiveReply projectId={projectId} live={liveHere} />}
              </Turn>
            </div>
          );
        })}
      </div>
      {jump.visible ? <button type="button" className="button jump" onClick={jump.go}>↓</button> : null}
      <div className="visually-hidden" aria-live="polite">{running === null && groups.length > 0 ? t('conversation.done') : ''}</div>
    </div>
  );
}

function keyOf(group: MessageGroupView | undefined, index: number): string {
  return group?.user?.id ?? group?.reply[0]?.id ?? `turn ${index}`;
}

/** Whether the running turn answers this group's message: then what is stored of its reply so far is shown by the stream. */
function isRunning(group: MessageGroupView, turnId: string, userNodeId: string | null): boolean {
  return group.turnId === turnId || (userNodeId !== null && group.user?.id === userNodeId);
}
