import type { CallView, NodeView, ProviderView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Translator } from '../../i18n/index.ts';
import { useT } from '../../i18n/index.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { providersQuery } from '../../session/queries.ts';
import { cacheText } from '../../view/cache-money.ts';
import { errorCodeOf } from '../../view/reply-error.ts';
import { formatCost, formatDuration, formatKnownTime, formatNumber } from '../../view/format.ts';
import { totalsOf } from '../../view/totals.ts';

interface ReplyFooterProps {
  readonly nodes: readonly NodeView[];
  readonly calls: readonly CallView[];
}

/** Who answered; what it took, on request. */
export function ReplyFooter({ nodes, calls }: ReplyFooterProps) {
  const t = useT();
  const providers = useQuery(providersQuery);
  const last = nodes.at(-1);
  if (last === undefined) return null;
  const label = modelLabel(providers.data?.providers ?? [], last);
  const facts = factsOf(last, calls, label, t);
  return (
    <Explain
      text={
        <dl className="reply-facts">
          {facts.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      }
    >
      <button type="button" className="facts">
        {label ?? t('role.assistant')}
        <span className="visually-hidden"> · {facts.map(([name, value]) => `${name}: ${value}`).join(' · ')}</span>
      </button>
    </Explain>
  );
}

type Fact = readonly [name: string, value: string];

function factsOf(last: NodeView, calls: readonly CallView[], label: string | null, t: Translator): readonly Fact[] {
  const { inputTokens: input, outputTokens: output, reasoningTokens: reasoning, cost, durationMs } = totalsOf(calls);
  const count = (value: number): string => formatNumber(value, t.locale);
  const tokens =
    input === null || output === null ? null : t('reply.tokens', { input: count(input), output: count(output) });
  const thought =
    reasoning === null || reasoning === 0 ? null : t('reply.reasoningTokens', { count: count(reasoning) });
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [t('facts.model'), last.modelUsed === label ? null : last.modelUsed],
    [t('facts.tokens'), tokens === null ? null : [tokens, ...(thought === null ? [] : [thought])].join(' · ')],
    [t('facts.cost'), calls.length === 0 ? null : cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale)],
    [t('facts.cache'), cacheText(calls, t)],
    [t('facts.time'), calls.length === 0 ? null : formatDuration(durationMs, t.locale)],
    [t('facts.end'), endOf(last, calls, t)],
    [t('facts.written'), formatKnownTime(last.createdAt, t.locale)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** How it ended, in a word; the line below the reply says it in a sentence where something is to be done. */
function endOf(last: NodeView, calls: readonly CallView[], t: Translator): string | null {
  const endedBy = calls.at(-1)?.endedBy;
  if (last.isError) return t('status.error');
  if (last.interrupted) return t(errorCodeOf(calls) === 'stopped' ? 'facts.end.stopped' : 'status.interrupted');
  if (calls.length === 0) return null;
  return endedBy === undefined ? t('status.complete') : t(`facts.end.${endedBy}`);
}

/** What the provider calls the model; its id if it is no longer listed, as in old conversations. */
export function modelLabel(
  providers: readonly ProviderView[],
  { provider, modelUsed }: Pick<NodeView, 'provider' | 'modelUsed'>,
): string | null {
  const models = providers.find(({ id }) => id === provider)?.models;
  return models?.find(({ id }) => id === modelUsed)?.label ?? modelUsed;
}
