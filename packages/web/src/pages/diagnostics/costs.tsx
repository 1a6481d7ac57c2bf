import type { CostRow } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { useProviderName } from '../../session/provider-name.ts';
import { costsQuery } from '../../session/queries.ts';
import { dailyCosts, groupedCosts } from '../../view/costs.ts';
import { formatCost, formatNumber } from '../../view/format.ts';

const GROUPS = ['model', 'project', 'day'] as const;

/** What was spent: by model, project or day, as a table; by day as a chart; all of it as CSV. */
export function Costs() {
  const t = useT();
  const [by, setBy] = useState<(typeof GROUPS)[number]>('model');
  const costs = useQuery(costsQuery);
  const rows = costs.data?.rows ?? [];
  return (
    <section>
      <div className="costs-head">
        <h2>{t('costs.title')}</h2>
        {rows.length === 0 ? null : (
          <a className="button" href="/api/costs.csv?by=day,project,client" download>
            {t('costs.csv')}
          </a>
        )}
      </div>
      {costs.isError ? <Problem message={costs.error.message} /> : null}
      {rows.length === 0 ? (
        <p className="faint">{t('diagnostics.none')}</p>
      ) : (
        <>
          <DailyChart rows={rows} />
          <div className="segmented" role="radiogroup" aria-label={t('costs.by')}>
            {GROUPS.map((group) => (
              <label key={group}>
                <input type="radio" name="costs-by" checked={by === group} onChange={() => setBy(group)} />
                <span>{t(`costs.by.${group}`)}</span>
              </label>
            ))}
          </div>
          <CostTable rows={rows} by={by} />
        </>
      )}
    </section>
  );
}

const MOST_DAYS = 30;

function DailyChart({ rows }: { readonly rows: readonly CostRow[] }) {
  const t = useT();
  const days = dailyCosts(rows).slice(-MOST_DAYS);
  const most = Math.max(...days.map(({ cost }) => cost), 0);
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  return (
    <figure className="cost-chart" aria-label={t('costs.by.day')}>
      <p className="cost-scale">{t('costs.most', { cost: formatCost(most, t.locale) })}</p>
      <div className="cost-days">
        {days.map(({ day, cost, isPartial }) => {
          const text = [day, formatCost(cost, t.locale), ...(isPartial ? [t('costs.partial')] : [])].join(' · ');
          return (
            <div key={day} className="cost-day" title={text}>
              <span className="visually-hidden">{text}</span>
              <i
                data-partial={isPartial ? '' : undefined}
                style={{ height: `${most === 0 ? 0 : (cost / most) * 100}%` }}
              />
            </div>
          );
        })}
      </div>
      <figcaption className="cost-ends">
        <span>{first}</span>
        {days.some(({ isPartial }) => isPartial) ? (
          <span className="cost-legend">
            <i data-partial="" /> {t('costs.partial')}
          </span>
        ) : null}
        {first === last ? null : <span>{last}</span>}
      </figcaption>
    </figure>
  );
}

function CostTable({ rows, by }: { readonly rows: readonly CostRow[]; readonly by: (typeof GROUPS)[number] }) {
  const t = useT();
  const nameOf = useProviderName();
  const groups = groupedCosts(rows, by);
  const count = (value: number): string => formatNumber(value, t.locale);
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t('costs.title')}>
      <table className="table cost-table">
        <thead>
          <tr>
            <th scope="col">{t(`costs.by.${by}`)}</th>
            {/* Next to the name: in a narrow window the rest is scrolled to. */}
            <th scope="col" className="number">
              {t('diagnostics.cost')}
            </th>
            <th scope="col" className="number">
              {t('diagnostics.count')}
            </th>
            {(['fresh', 'read', 'written'] as const).map((name) => (
              <th key={name} scope="col" className="number">
                {t(`costs.${name}`)}
              </th>
            ))}
            {(['output', 'reasoning'] as const).map((name) => (
              <th key={name} scope="col" className="number">
                {t(`diagnostics.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.key}>
              <td>
                {group.name ?? t('costs.gone')}
                {group.provider === null ? null : <small>{nameOf(group.provider)}</small>}
              </td>
              <td className="number">
                {group.cost === null ? t('reply.cost.unknown') : formatCost(group.cost, t.locale)}
                {group.unknown === 0 || group.cost === null ? null : (
                  <small>{t('costs.unknown', { count: count(group.unknown) })}</small>
                )}
              </td>
              {[group.calls, group.fresh, group.read, group.written, group.output, group.reasoning].map((value, at) => (
                <td key={at} className="number" data-zero={value === 0 ? '' : undefined}>
                  {count(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
