import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { PlusIcon } from '../../parts/icons.tsx';
import { deploymentsQuery, providersQuery } from '../../session/queries.ts';
import { DeploymentDialog } from './deployment-dialog.tsx';
import { ProviderSettings } from './provider.tsx';
import { Stored } from './stored.tsx';

/** Every provider with its key, and deployments of one's own. */
export function Providers() {
  const t = useT();
  const { data } = useQuery(providersQuery);
  const deployments = useQuery(deploymentsQuery).data;
  const [isAdding, setAdding] = useState(false);
  // The simulated ones need no settings.
  const ordered = [...(data?.providers ?? [])].sort((a, b) => Number(a.simulated) - Number(b.simulated));
  return (
    <>
      <p className="hint">{t('settings.providers.lead')}</p>
      <ul className="provider-list">
        {ordered.map((provider) => (
          <li key={provider.id}>
            <ProviderSettings
              provider={provider}
              deployment={deployments?.deployments.find(({ id }) => id === provider.id) ?? null}
              locked={deployments?.locked ?? true}
            />
          </li>
        ))}
      </ul>
      {deployments === undefined ? null : (
        <>
          {deployments.locked ? null : (
            <button type="button" className="button add" onClick={() => setAdding(true)}>
              <PlusIcon />
              {t('settings.deployment.add')}
            </button>
          )}
          <Stored places={deployments} />
          {isAdding ? <DeploymentDialog deployment={null} onClose={() => setAdding(false)} /> : null}
        </>
      )}
    </>
  );
}
