import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/later/index.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { gatewayQuery } from '../session/gateway.ts';
import { useProviderName } from '../session/provider-name.ts';
import { errorText } from '../view/error-text.ts';
import { formatNumber } from '../view/format.ts';
import { Connect } from './gateway/connect.tsx';
import { SeenClients } from './gateway/seen-clients.tsx';
import { Sessions } from './gateway/sessions.tsx';
import './diagnostics/diagnostics.css';
import './gateway/gateway.css';

/** Other clients that talk through Bough: their sessions, and how to connect more. */
export function Gateway() {
  const t = useT();
  const nameOf = useProviderName();
  const gateway = useQuery(gatewayQuery);
  const { data } = gateway;
  return (
    <Page title={t('gateway.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner diagnostics gateway">
          <div className="gateway-lead">
            <p>{t('gateway.lead')}</p>
            {data === undefined ? null : (
              <p className="faint">
                {t('gateway.state', {
                  mode: t(`gateway.mode.${data.mode}`),
                  running: formatNumber(data.running, t.locale),
                })}
              </p>
            )}
          </div>
          {gateway.isError ? <Problem message={errorText(gateway.error)} /> : null}
          {data === undefined || data.unrecorded === 0 ? null : (
            <p className="notice warn">
              {data.unrecorded === 1
                ? t('gateway.unrecorded.one')
                : t('gateway.unrecorded', { count: formatNumber(data.unrecorded, t.locale) })}
            </p>
          )}
          <Sessions mode={data?.mode ?? 'repair'} />
          {data === undefined || data.clients.length === 0 ? null : <SeenClients clients={data.clients} />}
          {data === undefined || data.routes.length === 0 ? null : (
            <section>
              <h2>{t('gateway.routes')}</h2>
              <ul className="route-list">
                {data.routes.map(({ from, model, to }) => (
                  <li key={`${from} ${model}`}>
                    {t('gateway.routes.line', {
                      model,
                      from: nameOf(from),
                      toModel: to.model,
                      to: nameOf(to.provider),
                    })}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Connect clients={data?.clients ?? []} />
        </div>
      </div>
    </Page>
  );
}
