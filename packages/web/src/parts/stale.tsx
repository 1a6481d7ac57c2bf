import { useT } from '../i18n/index.ts';
import { isUnreachable } from '../session/connection.ts';
import { refreshProject } from '../session/queries.ts';
import { useStale } from '../session/use-stale.ts';

/**
 * Says, next to the content, that it may be out of date: a reader does not lose the page because something could not be
 * read again. That the server is away is said once, above everything.
 */
export function Stale({ projectId }: { readonly projectId: string }) {
  const t = useT();
  const reason = useStale(projectId);
  if (reason === null || isUnreachable(reason)) return null;
  return (
    <div className="stale" role="status">
      <span>{t('stale.notice', { reason: reason.message })}</span>
      <button type="button" className="button small quiet" onClick={() => void refreshProject(projectId)}>
        {t('stale.retry')}
      </button>
    </div>
  );
}
