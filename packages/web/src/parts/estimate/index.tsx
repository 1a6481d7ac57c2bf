import type { EstimateView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import './estimate.css';

interface EstimateProps {
  readonly estimate: EstimateView;
  /** Whether it is for another reply to a message that was sent before. */
  readonly isReply?: boolean;
}

/** What a request will cost, before it is sent: what the cache has and what it has not, told apart. */
export function Estimate({ estimate, isReply = false }: EstimateProps) {
  const t = useT();
  const { cachedTokens, writtenTokens, freshTokens, likeLast, mostCost } = estimate;
  const count = (value: number): string => formatNumber(value, t.locale);
  const money = (value: number | null): string =>
    value === null ? t('reply.cost.unknown') : formatCost(value, t.locale);
  const rows: readonly (readonly [name: string, tokens: number | null, cost: number | null])[] = [
    [t('costs.read'), cachedTokens, estimate.cachedCost],
    [t('costs.written'), writtenTokens, estimate.writtenCost],
    [t('costs.fresh'), freshTokens, estimate.freshCost],
  ];
  const shown = rows.filter(([, tokens]) => tokens !== null && tokens > 0);
  const isUnknown = mostCost === null && (likeLast?.cost ?? null) === null;
  return (
    <section className="estimate" aria-live="polite">
      <h3>{t(isReply ? 'estimate.reply' : 'estimate.title')}</h3>
      <dl data-unknown={isUnknown ? '' : undefined}>
        {shown.map(([name, tokens, cost]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(tokens ?? 0)}</dd>
            {isUnknown ? null : <dd>{money(cost)}</dd>}
          </div>
        ))}
      </dl>
      {isUnknown ? (
        <p className="faint">{t('estimate.unknown')}</p>
      ) : (
        <dl className="sums">
          {likeLast === null ? null : (
            <div>
              <dt>{t('estimate.likeLast', { count: count(likeLast.outputTokens) })}</dt>
              <dd>{money(likeLast.cost)}</dd>
            </div>
          )}
          <div>
            <dt>{t('estimate.most')}</dt>
            <dd>{money(mostCost)}</dd>
          </div>
        </dl>
      )}
    </section>
  );
}
