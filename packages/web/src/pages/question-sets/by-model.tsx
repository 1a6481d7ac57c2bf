import type { RoundTableView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { formatCost, formatDuration, formatNumber } from '../../view/format.ts';

/** How each model fared, over all questions. */
export function ByModel({ sums }: Pick<RoundTableView, 'sums'>) {
  const t = useT();
  const columns = ['complete', 'failed', 'cost', 'time', 'tokens'] as const;
  return (
    <div className="table-scroll sets-scroll" tabIndex={0} role="region" aria-label={t('rounds.byModel')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('branch.model')}</th>
            {columns.map((column) => (
              <th key={column} scope="col" className="number">
                {t(`rounds.sum.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sums.map(({ label, complete, failed, cost, milliseconds, outputTokens }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="number">{formatNumber(complete, t.locale)}</td>
              <td className="number">{formatNumber(failed, t.locale)}</td>
              <td className="number">{cost === null ? '–' : formatCost(cost, t.locale)}</td>
              <td className="number">{milliseconds === null ? '–' : formatDuration(milliseconds, t.locale)}</td>
              <td className="number">{formatNumber(outputTokens, t.locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
