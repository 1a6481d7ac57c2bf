import type { BudgetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../../i18n/later/index.ts';
import { Confirm } from '../../../parts/dialog.tsx';
import { PlusIcon } from '../../../parts/icons.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { client } from '../../../session/client.ts';
import { budgetsQuery } from '../../../session/queries.ts';
import { endText, scopeText, usedText } from '../../../view/budget.ts';
import { useSave } from '../save.ts';
import { Saved } from '../saved.tsx';
import { Stored } from '../stored.tsx';
import { BudgetDialog } from './dialog.tsx';
import './budgets.css';

/** Limits on what is spent, and how much of them is used. */
export function Budgets() {
  const t = useT();
  const { data, isError, error, failureCount } = useQuery(budgetsQuery);
  const [isAdding, setAdding] = useState(false);
  if (isError) return <Problem message={error.message} />;
  if (data === undefined) return <Loading failures={failureCount} />;
  return (
    <>
      <p className="hint">{t('budgets.lead')}</p>
      {data.budgets.length === 0 ? null : (
        <ul className="provider-list">
          {data.budgets.map((budget) => (
            <li key={budget.name}>
              <Budget budget={budget} locked={data.locked} />
            </li>
          ))}
        </ul>
      )}
      {data.locked ? null : (
        <button type="button" className="button add" onClick={() => setAdding(true)}>
          <PlusIcon />
          {t('budgets.add')}
        </button>
      )}
      <Stored places={data} />
      {isAdding ? <BudgetDialog budget={null} onClose={() => setAdding(false)} /> : null}
    </>
  );
}

function Budget({ budget, locked }: { readonly budget: BudgetView; readonly locked: boolean }) {
  const t = useT();
  const { name, from, uses, endsAt } = budget;
  const [first] = uses;
  return (
    <article className="budget" data-budget={name} aria-label={name}>
      <div className="budget-head">
        <span className="provider-name">{name}</span>
        {from === 'file' ? <span className="badge">{t('settings.from.file')}</span> : null}
        {uses.some(({ level }) => level === 'over') ? (
          <span className="badge danger">{t('budgets.level.over')}</span>
        ) : uses.some(({ level }) => level === 'warn') ? (
          <span className="badge warn">{t('budgets.level.warn')}</span>
        ) : null}
      </div>
      <p className="hint">
        {scopeText(budget, first?.projectName ?? null, t)} · {endText(endsAt, t)}
      </p>
      {uses.length === 0 ? <p className="hint">{t('budgets.unused')}</p> : null}
      <ul className="budget-uses">
        {uses.map((use) => (
          <Use key={`${use.projectId} ${use.client}`} budget={budget} use={use} />
        ))}
      </ul>
      <Actions budget={budget} locked={locked} />
    </article>
  );
}

function Use({ budget, use }: { readonly budget: BudgetView; readonly use: BudgetView['uses'][number] }) {
  const t = useT();
  const { limit, unit, entry } = budget;
  const project = entry.project === '*' ? (use.projectName ?? t('budgets.project.gone')) : null;
  const client = entry.client === '*' ? use.client : null;
  const who = [project, client].filter((each) => each !== null).join(' · ');
  const amounts = usedText({ used: use.used, limit, unit }, t);
  return (
    <li>
      <span className="budget-who">
        {who === '' ? null : <span>{who}</span>}
        <span>{amounts}</span>
      </span>
      <progress
        className={use.level}
        aria-label={[who, amounts].filter(Boolean).join(': ')}
        value={Math.min(use.used, limit)}
        max={limit}
      />
      {use.unpriced.length === 0 ? null : (
        <p className="hint">{t('budgets.unpriced', { models: use.unpriced.join(', ') })}</p>
      )}
      {use.uncounted === 0 ? null : <p className="hint">{t('budgets.uncounted', { count: use.uncounted })}</p>}
    </li>
  );
}

function Actions({ budget, locked }: { readonly budget: BudgetView; readonly locked: boolean }) {
  const t = useT();
  const { name, from, alsoInPage } = budget;
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const [saved, save] = useSave();
  const isOwn = from === 'page' && !locked;
  const close = (): void => setOpen(null);
  return (
    <>
      {from === 'file' ? <p className="hint">{t('settings.readOnly')}</p> : null}
      {alsoInPage ? <p className="hint">{t('settings.alsoInPage')}</p> : null}
      <div className="setting-actions">
        {isOwn ? (
          <button type="button" className="button small" onClick={() => setOpen('edit')}>
            {t('settings.change')}
          </button>
        ) : null}
        {isOwn || (alsoInPage && !locked) ? (
          <button type="button" className="button small danger" onClick={() => setOpen('remove')}>
            {t('settings.remove')}
          </button>
        ) : null}
        <Saved state={saved} />
      </div>
      {open === 'edit' ? <BudgetDialog budget={budget} onClose={close} /> : null}
      <Confirm
        open={open === 'remove'}
        title={t('budgets.remove', { name })}
        question={t('budgets.remove.sure')}
        confirm={t('settings.remove')}
        onConfirm={() => void save(() => client.deleteBudget(name))}
        onClose={close}
      />
    </>
  );
}
