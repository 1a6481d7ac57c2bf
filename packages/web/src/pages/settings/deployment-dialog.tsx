import type { DeploymentView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { client } from '../../session/client.ts';
import type { DeploymentForm, Protocol } from '../../view/deployment-form.ts';
import { deploymentEntry, deploymentForm, emptyDeployment, STARTS } from '../../view/deployment-form.ts';
import { Field, NamedValues } from './fields.tsx';
import { useEntryForm } from './use-entry-form.ts';

const FIELDS = ['id', 'deploymentId', 'label', 'protocol', 'baseUrl', 'models', 'defaultModel', 'headers', 'quirks'];
const PROTOCOLS: readonly Protocol[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

interface DeploymentDialogProps {
  /** Null for a new one. */
  readonly deployment: DeploymentView | null;
  readonly onClose: () => void;
}

/** A server of one's own, with the fields of the configuration file. */
export function DeploymentDialog({ deployment, onClose }: DeploymentDialogProps) {
  const t = useT();
  const initial = deployment === null ? emptyDeployment() : deploymentForm(deployment);
  const { form, change, problemOf, general, formRef, isBusy, save } = useEntryForm<DeploymentForm>(
    initial,
    FIELDS,
    onClose,
  );
  const [start, setStart] = useState<string>(STARTS[0].id);
  const [key, setKey] = useState('');
  const isNew = deployment === null;
  const choose = (id: string): void => {
    const chosen = STARTS.find((each) => each.id === id);
    setStart(id);
    if (chosen !== undefined) change({ protocol: chosen.protocol, baseUrl: chosen.baseUrl });
  };
  const write = async ({ id, ...entry }: DeploymentForm): Promise<void> => {
    await client.setDeployment(id.trim(), deploymentEntry({ id, ...entry }, t('settings.notJson')));
    if (key.trim() !== '') await client.setProviderKey(id.trim(), key.trim());
  };
  const title = isNew ? t('settings.deployment.add') : t('settings.deployment.change', { name: deployment.id });
  return (
    <Dialog open onClose={onClose} title={title} description={t('settings.deployment.lead')}>
      <DialogForm
        formRef={formRef}
        save={t('settings.deployment.save')}
        canSave={form.id.trim() !== ''}
        busy={isBusy}
        problem={general}
        onSave={() => save(write)}
        onClose={onClose}
      >
        {isNew ? (
          <div className="field-row">
            <Field label={t('settings.deployment.start')} problem={null}>
              {(props) => (
                <select {...props} className="input" value={start} onChange={(event) => choose(event.target.value)}>
                  {STARTS.map(({ id, label }) => (
                    <option key={id} value={id}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field
              label={t('settings.deployment.id')}
              hint={t('settings.deployment.id.hint')}
              problem={problemOf('id') ?? problemOf('deploymentId')}
            >
              {(props) => (
                <input
                  {...props}
                  className="input"
                  spellCheck={false}
                  value={form.id}
                  onChange={(event) => change({ id: event.target.value })}
                />
              )}
            </Field>
          </div>
        ) : null}
        <div className="field-row">
          <Field label={t('settings.deployment.label')} problem={problemOf('label')}>
            {(props) => (
              <input
                {...props}
                className="input"
                placeholder={form.id}
                value={form.label}
                onChange={(event) => change({ label: event.target.value })}
              />
            )}
          </Field>
          <Field label={t('settings.deployment.protocol')} problem={problemOf('protocol')}>
            {(props) => (
              <select
                {...props}
                className="input"
                value={form.protocol}
                onChange={(event) => change({ protocol: event.target.value as Protocol })}
              >
                {PROTOCOLS.map((protocol) => (
                  <option key={protocol} value={protocol}>
                    {t(`settings.protocol.${protocol}`)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Field label={t('settings.baseUrl')} hint={t('settings.deployment.url.hint')} problem={problemOf('baseUrl')}>
          {(props) => (
            <input
              {...props}
              className="input"
              type="url"
              spellCheck={false}
              value={form.baseUrl}
              onChange={(event) => change({ baseUrl: event.target.value })}
            />
          )}
        </Field>
        <Field
          label={t('settings.deployment.models')}
          hint={t('settings.deployment.models.hint')}
          problem={problemOf('models')}
        >
          {(props) => (
            <textarea
              {...props}
              className="input mono"
              rows={3}
              spellCheck={false}
              value={form.models}
              onChange={(event) => change({ models: event.target.value })}
            />
          )}
        </Field>
        {isNew ? (
          <Field label={t('settings.key')} problem={null}>
            {(props) => (
              <input
                {...props}
                className="input"
                type="password"
                autoComplete="off"
                spellCheck={false}
                placeholder={t('settings.key.optional')}
                value={key}
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
        ) : null}
        <NamedValues
          label={t('settings.headers')}
          add={t('settings.headers.add')}
          nameLabel={t('settings.headers.name')}
          values={form.headers}
          problem={problemOf('headers')}
          onChange={(headers) => change({ headers })}
        />
        <details className="more">
          <summary>{t('settings.more')}</summary>
          <div className="form">
            <Field label={t('settings.deployment.defaultModel')} problem={problemOf('defaultModel')}>
              {(props) => (
                <input
                  {...props}
                  className="input"
                  spellCheck={false}
                  value={form.defaultModel}
                  onChange={(event) => change({ defaultModel: event.target.value })}
                />
              )}
            </Field>
            <Field
              label={t('settings.deployment.quirks')}
              hint={t('settings.deployment.quirks.hint')}
              problem={problemOf('quirks')}
            >
              {(props) => (
                <textarea
                  {...props}
                  className="input mono"
                  rows={3}
                  spellCheck={false}
                  value={form.quirks}
                  onChange={(event) => change({ quirks: event.target.value })}
                />
              )}
            </Field>
          </div>
        </details>
      </DialogForm>
    </Dialog>
  );
}
