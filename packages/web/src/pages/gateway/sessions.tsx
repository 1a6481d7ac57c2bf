import type { GatewayView } from '@bough/api/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { gatewaySessionsQuery } from '../../session/gateway.ts';
import { useMinute } from '../../session/now.ts';
import { errorText } from '../../view/error-text.ts';
import { SessionRow } from './session-row.tsx';

/** Conversations of other clients, the last used first, as they run. */
export function Sessions({ mode }: Pick<GatewayView, 'mode'>) {
  const t = useT();
  const now = useMinute();
  const sessions = useInfiniteQuery(gatewaySessionsQuery);
  const found = sessions.data?.pages.flatMap((page) => page.sessions) ?? [];
  // A session that is used while pages are read moves to the first of them.
  const listed = [...new Map(found.map((session) => [session.projectId, session])).values()];
  return (
    <section>
      <h2>{t('gateway.sessions')}</h2>
      {sessions.isError ? <Problem message={errorText(sessions.error)} /> : null}
      {sessions.isPending ? <PanelSkeleton shape="list" failures={sessions.failureCount} /> : null}
      {sessions.data !== undefined && listed.length === 0 ? (
        <p className="faint">{t('gateway.sessions.none')}</p>
      ) : null}
      {listed.length === 0 ? null : (
        <ul className="session-list">
          {listed.map((session) => (
            <SessionRow key={session.projectId} session={session} serverMode={mode} now={now} />
          ))}
        </ul>
      )}
      {sessions.hasNextPage ? (
        <button
          type="button"
          className="button more"
          disabled={sessions.isFetchingNextPage}
          onClick={() => void sessions.fetchNextPage()}
        >
          {t('gateway.sessions.more')}
        </button>
      ) : null}
    </section>
  );
}
