import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/index.ts';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { providersQuery } from '../session/queries.ts';
import { BrowserSettings } from './settings/browser.tsx';
import { Defaults } from './settings/defaults.tsx';
import { ProviderSettings } from './settings/provider.tsx';
import './settings/settings.css';

export function Settings() {
  const t = useT();
  const providers = useQuery(providersQuery);
  const { data } = providers;
  return (
    <Page title={t('settings.title')}>
      <div className="page">
        <div className="page-inner settings">
          <section>
            <h2>{t('settings.appearance')}</h2>
            <BrowserSettings />
          </section>
          {providers.isError ? <Problem message={providers.error.message} /> : null}
          {providers.isPending ? <Loading failures={providers.failureCount} /> : null}
          {data === undefined ? null : (
            <>
              <section>
                <h2>{t('settings.defaults')}</h2>
                <Defaults providers={data.providers} defaults={data.defaults} />
              </section>
              <section>
                <h2>{t('settings.providers')}</h2>
                <ul className="provider-list">
                  {data.providers.map((provider) => (
                    <li key={provider.id}>
                      <ProviderSettings provider={provider} />
                    </li>
                  ))}
                </ul>
              </section>
            </>
          )}
        </div>
      </div>
    </Page>
  );
}
