import type { DiagnosticsView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { clientLabel } from '../../view/client-label.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { statusText } from '../../view/reasons.ts';
import { repairText } from '../../view/repairs.ts';

type GatewayCallsProps = Pick<DiagnosticsView, 'recorded' | 'repairs' | 'unrecorded'>;

/** What other clients asked through the gateway, and what had to be mended for them. */
export function GatewayCalls({ recorded, repairs, unrecorded }: GatewayCallsProps) {
  const t = useT();
  const count = (value: number): string => formatNumber(value, t.locale);
  const mended = repairs
    .filter(({ rule, status }) => rule === 'plainest' && status === 'complete')
    .reduce((sum, each) => sum + each.count, 0);
  if (recorded.length === 0 && unrecorded === 0) return null;
  return (
    <>
      <section>
        <h2>{t('diagnostics.gateway')}</h2>
        {unrecorded === 0 ? null : (
          <p className="notice warn">
            {unrecorded === 1 ? t('gateway.unrecorded.one') : t('gateway.unrecorded', { count: count(unrecorded) })}
          </p>
        )}
        {recorded.length === 0 ? null : <RecordedTable recorded={recorded} />}
      </section>
      {repairs.length === 0 ? null : (
        <section>
          <h2>{t('diagnostics.repairs')}</h2>
          <p className="faint">{t('diagnostics.mended', { count: count(mended) })}</p>
          <RepairTable repairs={repairs} />
        </section>
      )}
    </>
  );
}

function RecordedTable({ recorded }: Pick<DiagnosticsView, 'recorded'>) {
  const t = useT();
  const nameOf = useProviderName();
  const count = (value: number): string => formatNumber(value, t.locale);
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t('diagnostics.gateway')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('diagnostics.client')}</th>
            <th scope="col">{t('diagnostics.model')}</th>
            {(['count', 'repaired', 'input', 'cached', 'output', 'cost'] as const).map((name) => (
              <th key={name} scope="col" className="number">
                {t(`diagnostics.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {recorded.map((group) => (
            <tr key={`${group.client} ${group.provider} ${group.model} ${group.mode}`}>
              <td>
                {clientLabel(group.client, t)}
                <small>{t(`gateway.mode.${group.mode}`)}</small>
              </td>
              <td>
                {group.model}
                <small>{nameOf(group.provider)}</small>
              </td>
              {[group.count, group.repaired, group.inputTokens, group.cachedInputTokens, group.outputTokens].map(
                (value, index) => (
                  <td key={index} className="number" data-zero={value === 0 ? '' : undefined}>
                    {count(value)}
                  </td>
                ),
              )}
              <td className="number">
                {group.cost === null ? t('reply.cost.unknown') : formatCost(group.cost, t.locale)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RepairTable({ repairs }: Pick<DiagnosticsView, 'repairs'>) {
  const t = useT();
  const nameOf = useProviderName();
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t('diagnostics.repairs')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('diagnostics.client')}</th>
            <th scope="col">{t('diagnostics.reason')}</th>
            <th scope="col">{t('diagnostics.status')}</th>
            <th scope="col" className="number">
              {t('diagnostics.times')}
            </th>
          </tr>
        </thead>
        <tbody>
          {repairs
            .toSorted((a, b) => b.count - a.count)
            .map(({ client, provider, rule, status, count }) => (
              <tr key={`${client} ${provider} ${rule} ${status}`}>
                <td>
                  {clientLabel(client, t)}
                  <small>{nameOf(provider)}</small>
                </td>
                <td>
                  {repairText(rule, t)}
                  <small>{rule}</small>
                </td>
                <td>{statusText(status, t)}</td>
                <td className="number">{formatNumber(count, t.locale)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
