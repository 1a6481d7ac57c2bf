import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ArrowDownIcon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/problem.tsx';
import { preloadProse } from '../../parts/prose.tsx';
import { onSent } from '../../session/composer-bus.ts';
import { liveTurns } from '../../session/live.ts';
import { historyQuery } from '../../session/queries.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { Fidelity } from './fidelity.tsx';
import { useKeepPlace } from './keep-place.ts';
import { LiveReply } from './live-reply.tsx';
import { SelectionAsk } from './selection-ask.tsx';
import { useStickToEnd } from './stick-to-end.ts';
import { Turn } from './turn.tsx';
import './conversation.css';

interface ConversationProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly focusNode: string | null;
}

/** The turns of a branch. Only what is near the screen is in the page, so that five thousand messages scroll like five. */
export function Conversation({ projectId, branch, focusNode }: ConversationProps) {
  const t = useT();
  const history = useInfiniteQuery(historyQuery(projectId, branch.id));
  const live = useFollowed(projectId, branch.runningTurnId);
  const hasText = branch.tipId !== null;
  useEffect(() => {
    if (hasText) preloadProse();
  }, [hasText]);

  const groups = useMemo(() => (history.data?.pages ?? []).toReversed().flatMap((page) => page.groups), [history.data]);
  const keys = useMemo(() => groups.map(keyOf), [groups]);
  const breakNodeId = history.data?.pages[0]?.breakNodeId ?? null;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 320,
    overscan: 4,
    getItemKey: (index) => keys[index] ?? index,
  });
  const items = virtualizer.getVirtualItems();
  useKeepPlace(virtualizer, keys);

  const focusIndex = focusNode === null ? -1 : groups.findIndex((group) => holds(group, focusNode));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = history;
  // Not after a failure: it would be asked for again and again. Reading everything anew clears that.
  const wantsOlder = !isFetchNextPageError && ((items[0]?.index ?? 0) < 3 || (focusNode !== null && focusIndex < 0));
  useEffect(() => {
    if (wantsOlder && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [wantsOlder, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const jump = useStickToEnd(scroller, [groups.length, live?.lastSeq ?? 0], focusNode === null);
  useEffect(() => onSent(jump.go), [jump.go]);
  useLayoutEffect(() => {
    if (focusIndex >= 0) virtualizer.scrollToIndex(focusIndex, { align: 'start' });
  }, [focusIndex, focusNode, virtualizer]);

  if (history.data === undefined && history.isError)
    return (
      <div className="conversation">
        <Problem message={history.error.message} />
      </div>
    );
  return (
    <Fidelity projectId={projectId} branch={branch}>
      <div
        className="conversation"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={t('conversation.label')}
        aria-busy={history.isPending}
      >
        {history.isSuccess && groups.length === 0 ? <Welcome branch={branch} /> : null}
        {hasNextPage ? (
          <p className="older">{isFetchingNextPage ? t('app.loading') : t('conversation.older')}</p>
        ) : null}
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
                <Turn
                  projectId={projectId}
                  branch={branch}
                  group={group}
                  isLast={isLast}
                  breakNodeId={breakNodeId}
                  highlighted={focusNode}
                >
                  {liveHere === null ? null : <LiveReply projectId={projectId} live={liveHere} />}
                </Turn>
              </div>
            );
          })}
        </div>
        {jump.visible ? (
          <button type="button" className="button jump" aria-label={t('conversation.end')} onClick={jump.go}>
            <ArrowDownIcon />
          </button>
        ) : null}
        <div className="visually-hidden" aria-live="polite">
          {live === null && groups.length > 0 ? t('conversation.done') : ''}
        </div>
      </div>
      <SelectionAsk projectId={projectId} branch={branch} scroller={scroller} />
    </Fidelity>
  );
}

/** Where a new conversation begins; says what answers while no key is set. */
function Welcome({ branch }: { readonly branch: BranchView }) {
  const t = useT();
  return (
    <div className="welcome">
      <h2>{t('conversation.empty.title')}</h2>
      <p>{t('conversation.empty.body')}</p>
      {branch.provider.startsWith('simulated') ? <p className="notice">{t('conversation.simulated')}</p> : null}
    </div>
  );
}

/** The running turn of a branch, and the one that just ended until the history holds it: there is never a frame without its reply. */
function useFollowed(projectId: string, running: string | null) {
  const [last, setLast] = useState(running);
  if (running !== null && running !== last) setLast(running);
  useEffect(() => {
    if (running !== null) liveTurns.follow(projectId, running);
  }, [projectId, running]);
  return useLiveTurn(running ?? last);
}

function keyOf(group: MessageGroupView, index: number): string {
  return group.user?.id ?? group.reply[0]?.id ?? `turn ${index}`;
}

function holds(group: MessageGroupView, nodeId: string): boolean {
  return group.user?.id === nodeId || group.reply.some((node) => node.id === nodeId);
}

/** Whether the live turn answers this group's message: then what is stored of its reply so far is shown by the stream. */
function isAnsweredBy(
  group: MessageGroupView,
  { turnId, userNodeId }: { readonly turnId: string; readonly userNodeId: string | null },
): boolean {
  return group.turnId === turnId || (userNodeId !== null && group.user?.id === userNodeId);
}
