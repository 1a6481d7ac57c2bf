import type { CallView } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';
import { formatCost, formatNumber } from './format.ts';

type Calls = readonly Pick<CallView, 'usage' | 'money'>[];

/** What the caches of these calls gave and took, in tokens and money; null where no provider counted. */
export function cacheText(calls: Calls, t: Translator): string | null {
  const sum = (pick: (call: Calls[number]) => number | null | undefined): number =>
    calls.reduce((total, call) => total + (pick(call) ?? 0), 0);
  const told = (key: 'costs.cache.read' | 'costs.cache.written' | 'costs.cache.missed', tokens: number, cost: number) =>
    t(key, { count: formatNumber(tokens, t.locale), cost: formatCost(cost, t.locale) });
  const read = sum(({ usage }) => usage?.cachedInputTokens);
  const written = sum(({ usage }) => usage?.cacheWriteTokens);
  // Providers cache in steps: what is missing of the last one is not worth telling.
  const isMissed = ({ money }: Calls[number]): boolean => (money?.missedBecause ?? null) !== null;
  const missed = sum((call) => (isMissed(call) ? call.money?.missedTokens : 0));
  const isPriced = calls.every(({ money }) => money !== null);
  const isCounted = calls.some(({ usage }) => usage?.cachedInputTokens !== undefined);
  if (!isCounted || read + written + missed === 0) return null;
  if (!isPriced) {
    const fresh = sum(({ usage }) => usage?.inputTokens) - read - written;
    const count = (value: number): string => formatNumber(value, t.locale);
    return t('exchange.cache.tokens', { read: count(read), written: count(written), fresh: count(Math.max(0, fresh)) });
  }
  return [
    told(
      'costs.cache.read',
      read,
      sum(({ money }) => money?.read),
    ),
    ...(written === 0
      ? []
      : [
          told(
            'costs.cache.written',
            written,
            sum(({ money }) => money?.written),
          ),
        ]),
    ...(missed === 0
      ? []
      : [
          told(
            'costs.cache.missed',
            missed,
            sum((call) => (isMissed(call) ? call.money?.missed : 0)),
          ),
        ]),
  ].join(' · ');
}
