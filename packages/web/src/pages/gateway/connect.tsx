import type { GatewayView } from '@bough/api/client';
import { CONNECTABLE } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { sessionQuery } from '../../session/queries.ts';

/** The lines of `bough gateway`, for this server. */
export function Connect({ clients }: Pick<GatewayView, 'clients'>) {
  const t = useT();
  const needsToken = useQuery(sessionQuery).data?.tokenRequired ?? false;
  const seen = new Set(clients.map(({ client }) => client));
  return (
    <section>
      <h2>{t('gateway.connect')}</h2>
      <div className="connect-list">
        {Object.values(CONNECTABLE).map(({ label, programs, seenAs, lines }) => {
          const text = lines(`${window.location.origin}/gateway`, needsToken).join('\n');
          const [program] = programs;
          return (
            <details key={seenAs}>
              <summary>
                {program === undefined ? t('gateway.client.sdk') : label}
                {seen.has(seenAs) ? <span className="seen-mark" aria-hidden="true" /> : null}
              </summary>
              <p className="faint">
                {program === undefined
                  ? t('gateway.connect.any')
                  : t('gateway.connect.run', { command: `bough run -- ${program}` })}
              </p>
              <pre className="raw" tabIndex={0}>
                {text}
              </pre>
              <CopyButton label={t('gateway.connect.copy')} text={() => text} />
            </details>
          );
        })}
      </div>
    </section>
  );
}
