import type { DiagnosticsView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { formatNumber } from '../../view/format.ts';

/** Where a provider read less from its cache than Bough had sent it before, and why. */
export function CacheFindings({ cache }: Pick<DiagnosticsView, 'cache'>) {
  const t = useT();
  const nameOf = useProviderName();
  if (cache.length === 0) return null;
  const reasonOf = (reason: string): string =>
    reason === 'expired' || reason === 'unexplained' ? t(`costs.miss.${reason}`) : t('exchange.cache.told', { reason });
  return (
    <section>
      <h2>{t('costs.misses')}</h2>
      <p className="faint">{t('costs.misses.lead')}</p>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t('costs.misses')}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t('diagnostics.model')}</th>
              <th scope="col">{t('diagnostics.reason')}</th>
              <th scope="col" className="number">
                {t('diagnostics.times')}
              </th>
              <th scope="col" className="number">
                {t('costs.anew')}
              </th>
            </tr>
          </thead>
          <tbody>
            {cache.map(({ provider, model, reason, count, missedTokens }) => (
              <tr key={`${provider} ${model} ${reason}`}>
                <td>
                  {model}
                  <small>{nameOf(provider)}</small>
                </td>
                <td>{reasonOf(reason)}</td>
                <td className="number">{formatNumber(count, t.locale)}</td>
                <td className="number">{formatNumber(missedTokens, t.locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
