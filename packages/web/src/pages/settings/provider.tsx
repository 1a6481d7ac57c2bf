import type { DeploymentView, ProviderView } from '@bough/api/client';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { client } from '../../session/client.ts';
import { DeploymentDialog } from './deployment-dialog.tsx';
import { ProviderTest } from './provider-test.tsx';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';

interface ProviderProps {
  readonly provider: ProviderView;
  /** Its entry in a configuration file; null if there is none. */
  readonly deployment: DeploymentView | null;
  readonly locked: boolean;
}

/** One provider. A key can be set, tested and removed; nothing ever reads it back. */
export function ProviderSettings({ provider, deployment, locked }: ProviderProps) {
  const t = useT();
  const { id, label, ready, simulated, keySource, from } = provider;
  return (
    <details className="provider" data-provider={id}>
      <summary>
        <span className="provider-name">{label}</span>
        <span className="badges">
          {from === 'built_in' ? null : <span className="badge">{t(`settings.from.${from}`)}</span>}
          {simulated ? <span className="badge">{t('settings.simulated')}</span> : null}
          <span className={ready ? 'badge good' : 'badge'}>
            {simulated ? t('settings.ready') : keyState(provider, t)}
          </span>
        </span>
      </summary>
      {simulated ? (
        <p className="provider-body">{t('settings.baseUrl.simulated')}</p>
      ) : (
        <div className="provider-body">
          <KeyForm provider={provider} />
          {from === 'page' ? null : <AddressForm key={provider.baseUrl} provider={provider} />}
          {/* Another key or address is another question. */}
          <ProviderTest key={`${keySource} ${provider.baseUrl}`} id={id} />
          {deployment === null ? null : <Entry provider={provider} deployment={deployment} locked={locked} />}
        </div>
      )}
    </details>
  );
}

type Translate = ReturnType<typeof useT>;

/** Where the key comes from, by name if it has one. */
function keyState({ keySource, keyVariable }: ProviderView, t: Translate): string {
  if (keySource === 'environment' && keyVariable !== null) return t('settings.key.variable', { name: keyVariable });
  return t(`settings.key.${keySource}`);
}

/** A key is stored, whether or not it can be used. */
const MAY_BE_REMOVED: ReadonlySet<ProviderView['keySource']> = new Set(['stored', 'other_address', 'unreadable']);

function KeyForm({ provider: { id, keySource, keyVariable } }: { readonly provider: ProviderView }) {
  const t = useT();
  const [key, setKey] = useState('');
  const input = useRef<HTMLInputElement | null>(null);
  const [state, save] = useSave();
  const submit = async (): Promise<void> => {
    if (!(await save(() => client.setProviderKey(id, key.trim())))) return;
    setKey('');
    // The button has nothing more to save, and would take the focus with it.
    input.current?.focus();
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
          ref={input}
          className="input"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          placeholder={t(keySource === 'not_needed' ? 'settings.key.optional' : 'settings.key.placeholder')}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      {keySource === 'environment' && keyVariable !== null ? (
        <p className="hint">{t('settings.key.variableDecides', { name: keyVariable })}</p>
      ) : null}
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

/** What a configuration file says about the provider: changed here if it was added here. */
function Entry({ provider, deployment, locked }: ProviderProps & { readonly deployment: DeploymentView }) {
  const t = useT();
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const [state, save] = useSave();
  const isOwn = deployment.from === 'page';
  const close = (): void => setOpen(null);
  return (
    <div className="setting-form">
      <p className="hint">
        {provider.baseUrl} · {provider.protocol}
        {isOwn ? null : <> · {t('settings.readOnly')}</>}
      </p>
      {deployment.alsoInPage ? <p className="hint">{t('settings.alsoInPage')}</p> : null}
      {locked || !(isOwn || deployment.alsoInPage) ? null : (
        <div className="setting-actions">
          {isOwn ? (
            <button type="button" className="button" onClick={() => setOpen('edit')}>
              {t('settings.change')}
            </button>
          ) : null}
          <button type="button" className="button danger" onClick={() => setOpen('remove')}>
            {t('settings.remove')}
          </button>
          <Saved state={state} />
        </div>
      )}
      {open === 'edit' ? <DeploymentDialog deployment={deployment} onClose={close} /> : null}
      <Confirm
        open={open === 'remove'}
        title={t('settings.deployment.remove', { name: provider.label })}
        question={t('settings.deployment.remove.sure')}
        confirm={t('settings.remove')}
        onClose={close}
        onConfirm={() => void save(() => client.deleteDeployment(deployment.id))}
      />
    </div>
  );
}
