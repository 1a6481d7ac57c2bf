import type { BranchView, ModelView } from '@bough/api/client';
import { useState } from 'react';
import type { MessageKey } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { changeBranch } from '../../session/branch-changes.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import type { ToolForm } from '../../view/provider-tool-form.ts';
import { chosenBy, fieldsOf, formsOf, isCount, isList, missingIn } from '../../view/provider-tool-form.ts';
import './provider-tools.css';

interface ProviderToolsDialogProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly offered: ModelView['providerTools'];
  readonly onClose: () => void;
}

/** What the provider may run itself on this branch, with its settings. */
export function ProviderToolsDialog({ projectId, branch, offered, onClose }: ProviderToolsDialogProps) {
  const t = useT();
  const [forms, setForms] = useState(() => formsOf(offered, branch.providerTools));
  const { busy, problem, run } = useAttempt();
  const missing = missingIn(forms, offered);
  const change = (tool: string, next: Partial<ToolForm>): void =>
    setForms(forms.map((form) => (form.tool === tool ? { ...form, ...next } : form)));
  const save = (): Promise<boolean> =>
    run(async () => {
      await changeBranch(projectId, branch.id, { providerTools: chosenBy(forms, branch.providerTools) });
      onClose();
    });
  return (
    <Dialog open onClose={onClose} title={t('providerTools.title')} description={t('providerTools.why')}>
      <DialogForm
        save={t('providerTools.save')}
        canSave={missing.length === 0}
        busy={busy}
        problem={problem}
        onSave={save}
        onClose={onClose}
      >
        <div className="provider-tools-form">
          {offered.map(({ tool, settings, required }, index) => {
            const form = forms[index];
            if (form === undefined) return null;
            return (
              <fieldset key={tool}>
                <legend>
                  <label className="check-row">
                    <input
                      type="checkbox"
                      checked={form.on}
                      onChange={(event) => change(tool, { on: event.target.checked })}
                    />
                    {t(`providerTools.${tool}`)}
                  </label>
                </legend>
                <p className="faint">{t(`providerTools.${tool}.why`)}</p>
                {form.on
                  ? fieldsOf(settings).map((field) => (
                      <label key={field} className="field">
                        <span>
                          {t(`providerTools.field.${field}` as MessageKey)}
                          {required.includes(field) ? null : (
                            <small className="faint"> {t('providerTools.optional')}</small>
                          )}
                        </span>
                        <input
                          className="input"
                          type={isCount(field) ? 'number' : 'text'}
                          min={isCount(field) ? 1 : undefined}
                          required={required.includes(field)}
                          placeholder={isList(field) ? t('providerTools.list') : undefined}
                          value={form.values[field] ?? ''}
                          onChange={(event) =>
                            change(tool, { values: { ...form.values, [field]: event.target.value } })
                          }
                        />
                      </label>
                    ))
                  : null}
              </fieldset>
            );
          })}
        </div>
      </DialogForm>
    </Dialog>
  );
}
