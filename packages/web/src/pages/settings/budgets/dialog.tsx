import type { BudgetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../../i18n/later/index.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { client } from '../../../session/client.ts';
import { projectsQuery } from '../../../session/queries.ts';
import type { BudgetForm } from '../../../view/budget.ts';
import { budgetEntry, budgetForm, EACH } from '../../../view/budget.ts';
import { Field, TextField } from '../fields.tsx';
import { useEntryForm } from '../use-entry-form.ts';

const FIELDS = ['budgetName', 'usd', 'tokens', 'per', 'project', 'client', 'warnAt'];
const UNITS = ['usd', 'tokens'] as const;
const PERIODS = ['day', 'month', 'total'] as const;
/** As the gateway names them; any other can be named in the configuration file. */
const CLIENTS = ['bough', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'qwen-code', 'sdk'];

interface BudgetDialogProps {
  /** Null for a new one. */
  readonly budget: BudgetView | null;
  readonly onClose: () => void;
}

export function BudgetDialog({ budget, onClose }: BudgetDialogProps) {
  const t = useT();
  const entry = useEntryForm<BudgetForm>(budgetForm(budget), FIELDS, onClose);
  const { form, change, problemOf, general, formRef, isBusy, save } = entry;
  return (
    <Dialog
      open
      onClose={onClose}
      title={budget === null ? t('budgets.add') : t('budgets.change', { name: form.name })}
    >
      <DialogForm
        formRef={formRef}
        save={t('budgets.save')}
        canSave={form.name.trim() !== '' && form.limit.trim() !== ''}
        busy={isBusy}
        problem={general}
        onSave={() => save((filled) => client.setBudget(filled.name.trim(), budgetEntry(filled)))}
        onClose={onClose}
      >
        {budget === null ? (
          <TextField
            label={t('settings.deployment.id')}
            problem={problemOf('budgetName')}
            value={form.name}
            onChange={(name) => change({ name })}
          />
        ) : null}
        <fieldset className="field choices">
          <legend>{t('budgets.unit')}</legend>
          <div className="segmented">
            {UNITS.map((unit) => (
              <label key={unit}>
                <input type="radio" name="unit" checked={form.unit === unit} onChange={() => change({ unit })} />
                <span>{t(`budgets.unit.${unit}`)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div className="field-row">
          <Field label={t('budgets.limit')} problem={problemOf(form.unit)}>
            {(props) => (
              <input
                {...props}
                className="input"
                type="number"
                min="0"
                step={form.unit === 'usd' ? 'any' : '1'}
                value={form.limit}
                onChange={(event) => change({ limit: event.target.value })}
              />
            )}
          </Field>
          <Field label={t('budgets.period')} problem={problemOf('per')}>
            {(props) => (
              <select
                {...props}
                className="input"
                value={form.per}
                onChange={(event) => change({ per: PERIODS.find((per) => per === event.target.value) ?? 'day' })}
              >
                {PERIODS.map((per) => (
                  <option key={per} value={per}>
                    {t(`budgets.period.${per}`)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <ScopeFields {...entry} />
        <Field label={t('budgets.warnAt')} problem={problemOf('warnAt')}>
          {(props) => (
            <input
              {...props}
              className="input"
              type="number"
              min="1"
              max="100"
              value={form.warnAt}
              onChange={(event) => change({ warnAt: event.target.value })}
            />
          )}
        </Field>
      </DialogForm>
    </Dialog>
  );
}

function ScopeFields({
  form,
  change,
  problemOf,
}: Pick<ReturnType<typeof useEntryForm<BudgetForm>>, 'form' | 'change' | 'problemOf'>) {
  const t = useT();
  const listed = useQuery(projectsQuery()).data?.projects ?? [];
  const projects = listed.map(({ id, name }) => ({ id, name }));
  const isUnlisted = form.project !== '' && form.project !== EACH && !projects.some(({ id }) => id === form.project);
  const clients = [...new Set([...CLIENTS, form.client])].filter((name) => name !== '' && name !== EACH);
  return (
    <div className="field-row">
      <Field label={t('budgets.project')} problem={problemOf('project')}>
        {(props) => (
          <select
            {...props}
            className="input"
            value={form.project}
            onChange={(event) => change({ project: event.target.value })}
          >
            <option value="">{t('budgets.project.all')}</option>
            <option value={EACH}>{t('budgets.project.each')}</option>
            {isUnlisted ? <option value={form.project}>{form.project}</option> : null}
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t('budgets.client')} problem={problemOf('client')}>
        {(props) => (
          <select
            {...props}
            className="input"
            value={form.client}
            onChange={(event) => change({ client: event.target.value })}
          >
            <option value="">{t('budgets.client.all')}</option>
            <option value={EACH}>{t('budgets.client.each')}</option>
            {clients.map((name) => (
              <option key={name} value={name}>
                {name === 'bough' ? t('budgets.client.bough') : name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
