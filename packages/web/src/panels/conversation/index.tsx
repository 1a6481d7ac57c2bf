import type { BranchView } from '@bough/api/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { preloadProse } from '../../parts/prose.tsx';
import { liveTurns } from '../../session/live.ts';
import { historyQuery } from '../../session/queries.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { Fidelity } from './fidelity.tsx';
import { Refusal } from './refusal.tsx';
import { SelectionAsk } from './selection-ask.tsx';
import { Turns } from './turns.tsx';
import './conversation.css';

interface ConversationProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly focusNode: string | null;
}

/** The turns of a branch, as far back as they have been read. */
export function Conversation({ projectId, branch, focusNode }: ConversationProps) {
  const t = useT();
  const history = useInfiniteQuery(historyQuery(projectId, branch.id));
  const live = useFollowed(projectId, branch.runningTurnId);
  const hasText = branch.tipId !== null;
  useEffect(() => {
    if (hasText) preloadProse();
  }, [hasText]);
  const groups = useMemo(() => (history.data?.pages ?? []).toReversed().flatMap((page) => page.groups), [history.data]);
  // Kept as state: its children can only start once it is in the page.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = history;
  const readOlder = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  // Not after a failure: it would be requested again and again. Reloading everything clears the failure.
  const canReadOlder = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;

  if (history.data === undefined && history.isError)
    return (
      <div className="conversation">
        <Problem message={history.error.message} />
      </div>
    );
  return (
    <Fidelity projectId={projectId} branch={branch} ready={history.data !== undefined}>
      <div
        className="conversation"
        ref={setScroller}
        tabIndex={0}
        role="region"
        aria-label={t('conversation.label')}
        aria-busy={history.isPending}
      >
        {history.isSuccess && groups.length === 0 ? <Welcome branch={branch} /> : null}
        {history.isPending ? <Loading failures={history.failureCount} /> : null}
        {hasNextPage ? (
          <p className="older">{isFetchingNextPage ? t('app.loading') : t('conversation.older')}</p>
        ) : null}
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
          />
        )}
        <div className="visually-hidden" aria-live="polite">
          {live === null && groups.length > 0 ? t('conversation.done') : ''}
        </div>
      </div>
      <Refusal />
      <SelectionAsk projectId={projectId} branch={branch} scroller={scroller} />
    </Fidelity>
  );
}

/** Where a new conversation begins; says which model answers while no key is set. */
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
