import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { preloadProse } from '../../parts/prose.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { liveTurns } from '../../session/live.ts';
import type { HistoryPlace } from '../../session/queries.ts';
import { historyQuery, openHistory, providersQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { nodesOf } from '../../view/merge-history.ts';
import { Fidelity } from './fidelity.tsx';
import { OutgoingMessages, useOutgoing } from './outgoing.tsx';
import { Refusal } from './refusal.tsx';
import { SelectionAsk } from './selection-ask.tsx';
import { Turns } from './turns.tsx';
import { useSummary } from './summary.tsx';
import './conversation.css';

interface ConversationProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly focusNode: string | null;
  /** The message is not on this branch. */
  readonly onElsewhere: (nodeId: string) => void;
}

/** The turns of a branch, as far back as they have been read. */
export function Conversation({ projectId, branch, focusNode, onElsewhere }: ConversationProps) {
  const t = useT();
  const history = useInfiniteQuery(historyQuery(projectId, branch.id, focusNode));
  const live = useFollowed(projectId, branch.runningTurnId);
  const hasText = branch.tipId !== null;
  useEffect(() => {
    if (hasText) preloadProse();
  }, [hasText]);
  const read = useMemo(() => (history.data?.pages ?? []).toReversed().flatMap((page) => page.groups), [history.data]);
  const outgoing = useOutgoing(projectId, branch, read);
  const isAnswered = useAnswered(live !== null, outgoing.length > 0, read.at(-1));
  const { groups, card, folded } = useSummary(projectId, branch, read, focusNode);
  const isAtStart = card?.upTo === null;
  // Kept as state: its children can only start once it is in the page.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = history;
  const { hasPreviousPage, fetchPreviousPage, isFetchPreviousPageError, isFetching } = history;
  const readOlder = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const readNewer = useCallback(() => void fetchPreviousPage(), [fetchPreviousPage]);
  // Not after a failure: it would be requested again and again. Reloading everything clears the failure.
  const hasOlder = hasNextPage && !folded;
  const canReadOlder = hasOlder && !isFetching && !isFetchNextPageError;
  const canReadNewer = hasPreviousPage && !isFetching && !isFetchPreviousPageError;
  const open = useCallback(
    (place: HistoryPlace) => attempt(() => openHistory(projectId, branch.id, place)),
    [projectId, branch.id],
  );
  const openEnd = useCallback(() => open(null), [open]);
  const openStart = useCallback(() => open({ after: projectId }), [open, projectId]);
  useFocused(focusNode, history.data === undefined ? null : read, open, onElsewhere);

  if (history.data === undefined && history.isError)
    return (
      <div className="conversation">
        <Problem message={history.error.message} />
      </div>
    );
  return (
    <Fidelity
      projectId={projectId}
      branch={branch}
      ready={history.data !== undefined}
      from={hasNextPage ? (history.data?.pages.at(-1)?.firstNodeId ?? null) : null}
      to={hasPreviousPage ? (history.data?.pages[0]?.lastNodeId ?? null) : null}
    >
      <div
        className="conversation"
        ref={setScroller}
        tabIndex={0}
        role="region"
        aria-label={t('conversation.label')}
        aria-busy={history.isPending}
      >
        {history.isSuccess && read.length === 0 && outgoing.length === 0 ? <Welcome branch={branch} /> : null}
        {history.isPending ? <Skeleton failures={history.failureCount} /> : null}
        {folded || (isAtStart && read.length > 0 && !hasNextPage) ? card?.element : null}
        {hasOlder ? <p className="older">{isFetchingNextPage ? t('app.loading') : t('conversation.older')}</p> : null}
        {groups.length === 0 || scroller === null ? null : (
          <Turns
            projectId={projectId}
            branch={branch}
            groups={groups}
            breakNodeId={history.data?.pages[0]?.breakNodeId ?? null}
            live={live}
            focusNode={focusNode}
            scroller={scroller}
            readOlder={canReadOlder ? readOlder : null}
            readNewer={canReadNewer ? readNewer : null}
            openEnd={hasPreviousPage ? openEnd : null}
            openStart={hasOlder ? openStart : null}
            outgoing={outgoing.map(({ requestId, problem }) => `${requestId} ${problem ?? ''}`).join()}
            card={folded || isAtStart ? null : card}
          />
        )}
        <OutgoingMessages projectId={projectId} branch={branch} messages={outgoing} />
        <div className="visually-hidden" aria-live="polite">
          {isAnswered ? t('conversation.done') : ''}
        </div>
      </div>
      <Refusal />
      <SelectionAsk projectId={projectId} branch={branch} scroller={scroller} />
    </Fidelity>
  );
}

/** Shows the part of the branch that holds a message, once for each that is asked for. */
function useFocused(
  focusNode: string | null,
  groups: readonly MessageGroupView[] | null,
  open: (place: HistoryPlace) => Promise<boolean>,
  onElsewhere: (nodeId: string) => void,
): void {
  const [last, setLast] = useState<string | null>(null);
  const [lookedFor, setLookedFor] = useState<string | null>(null);
  const isLoaded = groups !== null;
  const isHere =
    focusNode !== null && groups?.some((group) => nodesOf(group).some((node) => node.id === focusNode)) === true;
  useEffect(() => {
    if (!isLoaded || focusNode === last) return;
    setLast(focusNode);
    const look = async (nodeId: string): Promise<void> => {
      await open({ around: nodeId });
      setLookedFor(nodeId);
    };
    if (focusNode !== null && !isHere) void look(focusNode);
  }, [focusNode, last, isLoaded, isHere, open]);
  useEffect(() => {
    if (lookedFor !== null && lookedFor === focusNode && !isHere) onElsewhere(lookedFor);
    // Once: another branch is looked for, and there this begins anew.
    if (lookedFor !== null) setLookedFor(null);
  }, [lookedFor, focusNode, isHere, onElsewhere]);
}

/**
 * Whether a reply that was waited for has come: whoever opens a conversation would otherwise hear of one that ended
 * long ago. A short one is over before the page hears that it runs; then a message left, and another turn has ended.
 */
function useAnswered(isLive: boolean, isSending: boolean, newest: MessageGroupView | undefined): boolean {
  const isRunning = isLive || newest?.status === 'running' || newest?.status === 'awaiting_approval';
  const ended = isRunning ? null : (newest?.turnId ?? null);
  /** The turn that had ended when waiting began; null while it was seen to run, undefined if nothing was waited for. */
  const [before, setBefore] = useState<string | null>();
  if ((isRunning || isSending) && before !== ended) setBefore(ended);
  return !isSending && before !== undefined && ended !== before;
}

/** Where a new conversation begins; says which model answers while no key is set. */
function Welcome({ branch }: { readonly branch: BranchView }) {
  const t = useT();
  // Whoever has a key and chose the simulator all the same would be told something untrue.
  const hasKey = useQuery(providersQuery).data?.defaults.provider.startsWith('simulated') !== true;
  return (
    <div className="welcome">
      <h2>{t('conversation.empty.title')}</h2>
      <p>{t('conversation.empty.body')}</p>
      {hasKey || !branch.provider.startsWith('simulated') ? null : (
        <>
          <p className="notice">{t('conversation.simulated')}</p>
          <Link to="/settings" hash="providers" className="button small">
            {t('home.key')}
          </Link>
        </>
      )}
    </div>
  );
}

/**
 * The running turn of a branch, or the one that just ended until the history holds it: the reply is never missing for a
 * frame.
 */
function useFollowed(projectId: string, running: string | null) {
  const [last, setLast] = useState(running);
  if (running !== null && running !== last) setLast(running);
  useEffect(() => {
    if (running !== null) liveTurns.follow(projectId, running);
  }, [projectId, running]);
  return useLiveTurn(running ?? last);
}
