import type { CallView, NodeView, ProviderView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { providersQuery } from '../../session/queries.ts';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../view/format.ts';
import { totalsOf } from '../../view/totals.ts';

/** Who answered; what it cost, on request. */
export function ReplyFooter({
  nodes,
  calls,
}: {
  readonly nodes: readonly NodeView[];
  readonly calls: readonly CallView[];
}) {
  const t = useT();
  const providers = useQuery(providersQuery);
  const last = nodes.at(-1);
  if (last === undefined) return null;
  const { inputTokens: input, outputTokens: output, reasoningTokens: reasoning, cost, durationMs } = totalsOf(calls);
  const label = labelOf(providers.data?.providers ?? [], last);
  const facts = [
    last.modelUsed === label ? null : last.modelUsed,
    input === null || output === null
      ? null
      : t('reply.tokens', { input: formatNumber(input, t.locale), output: formatNumber(output, t.locale) }),
    reasoning === null || reasoning === 0
      ? null
      : t('reply.reasoningTokens', { count: formatNumber(reasoning, t.locale) }),
    calls.length === 0 ? null : cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale),
    calls.length === 0 ? null : formatDuration(durationMs, t.locale),
    formatTime(last.createdAt, t.locale),
  ];
  const rest = facts.filter((fact) => fact !== null).join(' · ');
  return (
    <Explain text={rest}>
      <span className="facts" tabIndex={0}>
        {label}
        <span className="visually-hidden"> · {rest}</span>
      </span>
    </Explain>
  );
}

/** What the provider calls the model; its id if it is no longer listed, as in old conversations. */
function labelOf(
  providers: readonly ProviderView[],
  { provider, modelUsed }: Pick<NodeView, 'provider' | 'modelUsed'>,
): string | null {
  const models = providers.find(({ id }) => id === provider)?.models;
  return models?.find(({ id }) => id === modelUsed)?.label ?? modelUsed;
}
