import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { judgedQuery } from '../../session/annotations.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { errorText } from '../../view/error-text.ts';
import { formatCost, formatDuration, formatNumber } from '../../view/format.ts';

/** How models fared where people compared or judged their replies. */
export function Judged() {
  const t = useT();
  const nameOf = useProviderName();
  const judged = useQuery(judgedQuery);
  const models = judged.data?.models ?? [];
  const counts = ['wins', 'losses', 'ties', 'good', 'bad'] as const;
  return (
    <section>
      <h2>{t('judge.title')}</h2>
      {judged.isError ? <Problem message={errorText(judged.error)} /> : null}
      {judged.data !== undefined && models.length === 0 ? <p className="faint">{t('judge.none')}</p> : null}
      {models.length === 0 ? null : (
        <div className="table-scroll" tabIndex={0} role="region" aria-label={t('judge.title')}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t('diagnostics.model')}</th>
                {counts.map((count) => (
                  <th key={count} scope="col" className="number">
                    {t(`judge.${count}`)}
                  </th>
                ))}
                <th scope="col" className="number">
                  {t('judge.cost')}
                </th>
                <th scope="col" className="number">
                  {t('judge.time')}
                </th>
              </tr>
            </thead>
            <tbody>
              {models.map((result) => (
                <tr key={JSON.stringify([result.provider, result.model])}>
                  <td>
                    {result.model}
                    <small>{nameOf(result.provider)}</small>
                  </td>
                  {counts.map((count) => (
                    <td key={count} className="number">
                      {formatNumber(result[count], t.locale)}
                    </td>
                  ))}
                  <td className="number">{result.cost === null ? '–' : formatCost(result.cost, t.locale)}</td>
                  <td className="number">
                    {result.averageMs === null ? '–' : formatDuration(result.averageMs, t.locale)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
