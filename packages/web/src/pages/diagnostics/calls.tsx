import type { DiagnosticsView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { callTotals } from '../../view/diagnostics.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { statusText } from '../../view/reasons.ts';

export function CallTable({ calls }: Pick<DiagnosticsView, 'calls'>) {
  const t = useT();
  const nameOf = useProviderName();
  const total = callTotals(calls);
  const cells = ({ count, inputTokens, outputTokens, reasoningTokens, cost }: typeof total) => (
    <>
      {[count, inputTokens, outputTokens, reasoningTokens].map((value, index) => (
        <td key={index} className="number">
          {formatNumber(value, t.locale)}
        </td>
      ))}
      <td className="number">{cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale)}</td>
    </>
  );
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t('diagnostics.calls')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('diagnostics.model')}</th>
            <th scope="col">{t('diagnostics.status')}</th>
            {(['count', 'input', 'output', 'reasoning', 'cost'] as const).map((name) => (
              <th key={name} scope="col" className="number">
                {t(`diagnostics.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <tr key={`${call.provider} ${call.model} ${call.status} ${call.errorCode ?? ''} ${call.purpose ?? ''}`}>
              <td>
                {call.model}
                <small>
                  {nameOf(call.provider)}
                  {call.purpose === null ? '' : ` · ${t(`diagnostics.purpose.${call.purpose}`)}`}
                </small>
              </td>
              <td>
                {statusText(call.status, t)}
                {call.errorCode === null ? null : <small>{call.errorCode}</small>}
              </td>
              {cells(call)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('diagnostics.total')}</th>
            <td />
            {cells(total)}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
