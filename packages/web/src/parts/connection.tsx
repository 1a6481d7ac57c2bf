import { useT } from '../i18n/index.ts';
import { useReturn, useUnreachable } from '../session/connection.ts';

/** Says that the server is away, for as long as it is. */
export function Connection() {
  const t = useT();
  const lookNow = useReturn();
  return useUnreachable() ? (
    <div className="unreachable" role="status">
      <span>{t('connection.away')}</span>
      <button type="button" className="button small quiet" onClick={lookNow}>
        {t('stale.retry')}
      </button>
    </div>
  ) : null;
}
