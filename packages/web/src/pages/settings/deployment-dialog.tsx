import type { DeploymentView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { client } from '../../session/client.ts';
import type { DeploymentForm, Protocol } from '../../view/deployment-form.ts';
import { deploymentEntry, deploymentForm, emptyDeployment, STARTS } from '../../view/deployment-form.ts';
import { Field, NamedValues, TextField } from './fields.tsx';
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
            <TextField
              label={t('settings.deployment.id')}
              hint={t('settings.deployment.id.hint')}
              problem={problemOf('id') ?? problemOf('deploymentId')}
              value={form.id}
              onChange={(id) => change({ id })}
            />
          </div>
        ) : null}
        <div className="field-row">
          <TextField
            label={t('settings.deployment.label')}
            problem={problemOf('label')}
            placeholder={form.id}
            value={form.label}
            onChange={(label) => change({ label })}
          />
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
        <TextField
          label={t('settings.baseUrl')}
          hint={t('settings.deployment.url.hint')}
          problem={problemOf('baseUrl')}
          type="url"
          value={form.baseUrl}
          onChange={(baseUrl) => change({ baseUrl })}
        />
        <TextField
          label={t('settings.deployment.models')}
          hint={t('settings.deployment.models.hint')}
          problem={problemOf('models')}
          mono
          rows={3}
          value={form.models}
          onChange={(models) => change({ models })}
        />
        {isNew ? (
          <TextField
            label={t('settings.key')}
            problem={null}
            type="password"
            placeholder={t('settings.key.optional')}
            value={key}
            onChange={setKey}
          />
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
            <TextField
              label={t('settings.deployment.defaultModel')}
              problem={problemOf('defaultModel')}
              value={form.defaultModel}
              onChange={(defaultModel) => change({ defaultModel })}
            />
            <TextField
              label={t('settings.deployment.quirks')}
              hint={t('settings.deployment.quirks.hint')}
              problem={problemOf('quirks')}
              mono
              rows={3}
              value={form.quirks}
              onChange={(quirks) => change({ quirks })}
            />
          </div>
        </details>
      </DialogForm>
    </Dialog>
  );
}
