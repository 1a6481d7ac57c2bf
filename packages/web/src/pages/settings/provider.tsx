import type { ProviderView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { client } from '../../session/client.ts';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';

/** One provider. A key can be set and removed; nothing ever reads it back. */
export function ProviderSettings({ provider }: { readonly provider: ProviderView }) {
  const t = useT();
  const { id, label, ready, simulated, keySource } = provider;
  return (
    <details className="provider">
      <summary>
        <span className="provider-name">{label}</span>
        {simulated ? <span className="badge">{t('settings.simulated')}</span> : null}
        <span className={ready ? 'badge good' : 'badge'}>
          {simulated ? t('settings.ready') : t(`settings.key.${keySource}`)}
        </span>
      </summary>
      {simulated ? (
        <p className="provider-body">{t('settings.baseUrl.simulated')}</p>
      ) : (
        <div className="provider-body">
          {keySource === 'not_needed' ? null : <KeyForm id={id} keySource={keySource} />}
          <AddressForm key={provider.baseUrl} provider={provider} />
        </div>
      )}
    </details>
  );
}

/** A key is stored, whether or not it can be used. */
const MAY_BE_REMOVED: ReadonlySet<ProviderView['keySource']> = new Set(['stored', 'other_address', 'unreadable']);

function KeyForm({ id, keySource }: Pick<ProviderView, 'id' | 'keySource'>) {
  const t = useT();
  const [key, setKey] = useState('');
  const [state, save] = useSave();
  const submit = async (): Promise<void> => {
    if (await save(() => client.setProviderKey(id, key.trim()))) setKey('');
  };
  return (
    <form
      className="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label className="field">
        <span>{t('settings.key')}</span>
        <input
          className="input"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          placeholder={t('settings.key.placeholder')}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <div className="setting-actions">
        <button type="submit" className="button" disabled={key.trim() === '' || state.kind === 'busy'}>
          {t('settings.key.save')}
        </button>
        {MAY_BE_REMOVED.has(keySource) ? (
          <button type="button" className="button danger" onClick={() => void save(() => client.deleteProviderKey(id))}>
            {t('settings.key.remove')}
          </button>
        ) : null}
        <Saved state={state} />
      </div>
    </form>
  );
}

function AddressForm({ provider: { id, baseUrl } }: { readonly provider: ProviderView }) {
  const t = useT();
  const [address, setAddress] = useState(baseUrl);
  const [state, save] = useSave();
  return (
    <form
      className="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => client.setProviderBaseUrl(id, address.trim()));
      }}
    >
      <label className="field">
        <span>{t('settings.baseUrl')}</span>
        <input
          className="input"
          type="url"
          spellCheck={false}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </label>
      <div className="setting-actions">
        <button
          type="submit"
          className="button"
          disabled={address.trim() === '' || address === baseUrl || state.kind === 'busy'}
        >
          {t('settings.baseUrl.save')}
        </button>
        <button
          type="button"
          className="button quiet"
          onClick={() => void save(() => client.setProviderBaseUrl(id, null))}
        >
          {t('settings.baseUrl.reset')}
        </button>
        <Saved state={state} />
      </div>
    </form>
  );
}
