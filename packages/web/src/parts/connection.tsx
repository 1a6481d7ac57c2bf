import { useT } from '../i18n/index.ts';
import { useReturn, useUnreachable } from '../session/connection.ts';

/** Says that the server is away, for as long as it is. */
export function Connection() {
  const t = useT();
  useReturn();
  return useUnreachable() ? (
    <p className="unreachable" role="status">
      {t('connection.away')}
    </p>
  ) : null;
}
