import type { GatewayView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { clientLabel } from '../../view/client-label.ts';
import { formatKnownTime, formatNumber } from '../../view/format.ts';

/** Who came through this server since it started, recorded or not. */
export function SeenClients({ clients }: Pick<GatewayView, 'clients'>) {
  const t = useT();
  const nameOf = useProviderName();
  return (
    <section>
      <h2>{t('gateway.clients')}</h2>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t('gateway.clients')}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t('gateway.clients.client')}</th>
              <th scope="col">{t('gateway.clients.providers')}</th>
              <th scope="col" className="number">
                {t('gateway.clients.requests')}
              </th>
              <th scope="col">{t('gateway.clients.last')}</th>
            </tr>
          </thead>
          <tbody>
            {clients.map(({ client, version, providers, requests, lastSeenAt }) => (
              <tr key={client}>
                <td>{clientLabel(version === null ? client : `${client}/${version}`, t)}</td>
                <td>{providers.map(nameOf).join(', ')}</td>
                <td className="number">{formatNumber(requests, t.locale)}</td>
                <td>{formatKnownTime(lastSeenAt, t.locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
