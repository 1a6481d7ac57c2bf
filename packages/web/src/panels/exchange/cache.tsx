import type { ExchangeView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { causeText, isMiss } from '../../view/cache-cause.ts';
import { formatCost, formatNumber } from '../../view/format.ts';

/** What was read from the provider's cache, what was not and why, and what that cost. */
export function CacheFacts({ exchange: { call, cache, told } }: { readonly exchange: ExchangeView }) {
  const t = useT();
  const count = (value: number): string => formatNumber(value, t.locale);
  const { lostTokens, lostCost, savedCost, isEstimated } = cache;
  const lost =
    lostTokens === null || lostTokens === 0 || !isMiss(cache)
      ? null
      : [
          t(isEstimated ? 'exchange.cache.lostAbout' : 'exchange.cache.lost', { count: count(lostTokens) }),
          ...(lostCost === null || lostCost === 0
            ? []
            : [t('exchange.cache.lostCost', { cost: formatCost(lostCost, t.locale) })]),
        ].join(' · ');
  return (
    <ul className="cache-facts">
      <li data-miss={isMiss(cache) ? '' : undefined}>{causeText(cache, t)}</li>
      {lost === null ? null : <li>{lost}</li>}
      <li className="soft">{tokensOf(call)}</li>
      {savedCost === null || savedCost === 0 ? null : (
        <li className="soft">{t('exchange.cache.saved', { cost: formatCost(savedCost, t.locale) })}</li>
      )}
      {told === null ? null : <li>{t('exchange.cache.told', { reason: told.reason })}</li>}
    </ul>
  );

  function tokensOf({ usage }: ExchangeView['call']): string {
    if (usage?.inputTokens === undefined) return t('exchange.cache.uncounted');
    const { inputTokens, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
    const fresh = Math.max(0, inputTokens - read - written);
    return t('exchange.cache.tokens', { read: count(read), written: count(written), fresh: count(fresh) });
  }
}
