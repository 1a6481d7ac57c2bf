import type { BranchView } from '@bough/api/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { RefCallback } from 'react';
import { useEffect, useMemo } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { ReplyFooter } from '../../panels/conversation/reply-footer.tsx';
import { Segments } from '../../panels/conversation/segments.tsx';
import { TurnAsWritten } from '../../panels/conversation/turn-as-written.tsx';
import { Boundary } from '../../parts/boundary.tsx';
import { Folded } from '../../parts/folded.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { historyBackQuery } from '../../session/queries.ts';
import { mergeOf, saidIn } from '../../view/merge.ts';
import { ownGroups } from '../../view/own-groups.ts';
import '../../panels/conversation/conversation.css';

interface ColumnProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly shared: ReadonlySet<string>;
  readonly scroll: RefCallback<HTMLDivElement>;
}

/** What only this branch has. Reads back to the fork. */
export function Column({ projectId, branch, shared, scroll }: ColumnProps) {
  const t = useT();
  const history = useInfiniteQuery(historyBackQuery(projectId, branch.id));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = history;
  const { groups, reachesFork } = useMemo(
    () =>
      ownGroups(
        (history.data?.pages ?? []).toReversed().flatMap((page) => page.groups),
        shared,
      ),
    [history.data, shared],
  );
  useEffect(() => {
    if (!reachesFork && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [reachesFork, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  return (
    <div className="compare-column" ref={scroll} tabIndex={0} role="group" aria-label={branch.name}>
      {history.isError ? <Problem message={history.error.message} /> : null}
      {history.isPending ? <PanelSkeleton shape="facts" failures={history.failureCount} /> : null}
      {history.isSuccess && groups.length === 0 ? <p className="faint">{t('compare.nothing')}</p> : null}
      {groups.map((group, index) => {
        const { turnId, user, reply, segments, calls } = group;
        const merge = user === null ? null : mergeOf(user);
        return (
          <Boundary
            key={user?.id ?? reply[0]?.id ?? index}
            fallback={<TurnAsWritten group={group} live={null} />}
            subject={group}
          >
            <article className="turn">
              {user === null ? null : (
                <section className="user" role="group" aria-label={t('conversation.you')}>
                  {merge === null ? null : <p className="faint">{t('merged.title', { branch: merge.branchName })}</p>}
                  <Folded height={300}>
                    <LongText tag="p" className="user-text" text={saidIn(user)} />
                  </Folded>
                </section>
              )}
              <section className="reply">
                <Segments
                  turnId={turnId}
                  segments={segments}
                  nodes={reply}
                  calls={calls}
                  projectId={projectId}
                  live={null}
                />
                {reply
                  .filter((node) => node.isError && node.role === 'assistant')
                  .map((node) => (
                    <p key={node.id} className="notice danger">
                      {node.content}
                    </p>
                  ))}
                <ReplyFooter nodes={reply.filter((node) => node.role === 'assistant')} calls={calls} />
              </section>
            </article>
          </Boundary>
        );
      })}
    </div>
  );
}
