import type { CallView } from '@bough/api/client';
import type { Translator } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { cacheText } from '../../view/cache-money.ts';
import { formatCost, formatDuration, formatNumber } from '../../view/format.ts';
import { statusText } from '../../view/reasons.ts';
import { durationOf, totalsOf } from '../../view/totals.ts';
import { Facts } from './facts.tsx';

export function Totals({ turns, calls }: { readonly turns: number; readonly calls: readonly CallView[] }) {
  const t = useT();
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cost } = totalsOf(calls);
  const count = (value: number | null): string => formatNumber(value ?? 0, t.locale);
  const tokens = [
    t('reply.tokens', { input: count(inputTokens), output: count(outputTokens) }),
    ...(cachedInputTokens === null || cachedInputTokens === 0
      ? []
      : [t('details.cached', { count: count(cachedInputTokens) })]),
    ...(reasoningTokens === null || reasoningTokens === 0
      ? []
      : [t('reply.reasoningTokens', { count: count(reasoningTokens) })]),
  ];
  return (
    <Facts
      facts={[
        [t('details.turns'), count(turns)],
        [t('details.calls'), count(calls.length)],
        [t('details.tokens'), tokens.join(' · ')],
        [t('details.cost'), cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale)],
      ]}
    />
  );
}

/** What the provider itself says about its cache, where it was asked and found something else than before. */
function toldText({ usage }: CallView, t: Translator): string | null {
  const told = usage?.cacheTold;
  return told === undefined || told.type === 'same' ? null : t('exchange.cache.told', { reason: told.reason });
}

/** Each request of a turn: when its first byte arrived, how long it took, what it used. */
export function Calls({ calls }: { readonly calls: readonly CallView[] }) {
  const t = useT();
  const nameOf = useProviderName();
  return (
    <ol className="calls">
      {calls.map((call) => {
        const { inputTokens, outputTokens, reasoningTokens, cost } = totalsOf([call]);
        const facts = [
          statusText(call.status, t),
          call.endedAt === null ? null : formatDuration(durationOf(call), t.locale),
          call.firstByteAt === null
            ? null
            : t('details.firstByte', {
                time: formatDuration(Date.parse(call.firstByteAt) - Date.parse(call.startedAt), t.locale),
              }),
          inputTokens === null || outputTokens === null
            ? null
            : t('reply.tokens', {
                input: formatNumber(inputTokens, t.locale),
                output: formatNumber(outputTokens, t.locale),
              }),
          reasoningTokens === null || reasoningTokens === 0
            ? null
            : t('reply.reasoningTokens', { count: formatNumber(reasoningTokens, t.locale) }),
          cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale),
        ];
        const cache = cacheText([call], t);
        const told = toldText(call, t);
        return (
          <li key={call.id}>
            <code>
              {nameOf(call.provider)} · {call.model}
            </code>
            <span>{facts.filter((fact) => fact !== null).join(' · ')}</span>
            {cache === null ? null : <span>{`${t('facts.cache')}: ${cache}`}</span>}
            {told === null ? null : <span>{told}</span>}
          </li>
        );
      })}
    </ol>
  );
}
