import type { BudgetInput, BudgetView } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';
import { formatCost, formatNumber, formatTime } from './format.ts';

type Unit = BudgetView['unit'];

/** “$4.20 of $5.00 (84 %)”; beyond the limit without the share, which says nothing more. */
export function usedText({ used, limit, unit }: Amounts, t: Translator): string {
  const written = (value: number): string =>
    unit === 'usd' ? formatCost(value, t.locale) : formatNumber(value, t.locale);
  const amounts = t(`budgets.used.${unit}`, { used: written(used), limit: written(limit) });
  if (used >= limit) return amounts;
  return t('budgets.used.share', { amounts, share: Math.floor((used / limit) * 100) });
}

interface Amounts {
  readonly used: number;
  readonly limit: number;
  readonly unit: Unit;
}

/** When it begins anew, in the reader's own time; that it does not is said too. */
export const endText = (endsAt: string | null, t: Translator): string =>
  endsAt === null ? t('budgets.never') : t('budgets.until', { time: formatTime(endsAt, t.locale) });

/** What a budget is about, in a sentence. */
export function scopeText({ entry }: Pick<BudgetView, 'entry'>, projectName: string | null, t: Translator): string {
  const { project, client, per = 'day', warnAt = WARN_AT } = entry;
  const parts = [t(`budgets.per.${per}`)];
  if (project !== undefined)
    parts.push(
      project === EACH ? t('budgets.project.each') : t('budgets.project.one', { name: projectName ?? project }),
    );
  if (client !== undefined)
    parts.push(client === EACH ? t('budgets.client.each') : t('budgets.client.one', { name: client }));
  return [...parts, t('budgets.warns', { share: Math.round(warnAt * 100) })].join(' · ');
}

export const EACH = '*';
const WARN_AT = 0.8;

/** A budget as its form shows it. */
export interface BudgetForm {
  readonly name: string;
  readonly unit: Unit;
  readonly limit: string;
  readonly per: NonNullable<BudgetInput['per']>;
  /** Empty: all together. */
  readonly project: string;
  readonly client: string;
  /** In percent. */
  readonly warnAt: string;
}

export function budgetForm(budget: Pick<BudgetView, 'name' | 'entry'> | null): BudgetForm {
  const { project = '', client = '', per = 'day', usd, tokens, warnAt = WARN_AT } = budget?.entry ?? {};
  return {
    name: budget?.name ?? '',
    unit: tokens === undefined ? 'usd' : 'tokens',
    limit: String(usd ?? tokens ?? ''),
    per,
    project,
    client,
    warnAt: String(Math.round(warnAt * 100)),
  };
}

/** The entry as the configuration file would have it. What is no number is left to the server to refuse. */
export function budgetEntry({ unit, limit, per, project, client, warnAt }: BudgetForm): BudgetInput {
  return {
    ...(unit === 'usd' ? { usd: Number(limit) } : { tokens: Number(limit) }),
    per,
    ...(project === '' ? {} : { project }),
    ...(client === '' ? {} : { client }),
    warnAt: Number(warnAt) / 100,
  };
}
