import type { CallView, NodeView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../view/format.ts';
import { totalsOf } from '../../view/totals.ts';

/** Who answered, and what it cost. */
export function ReplyFooter({
  nodes,
  calls,
}: {
  readonly nodes: readonly NodeView[];
  readonly calls: readonly CallView[];
}) {
  const t = useT();
  const last = nodes.at(-1);
  if (last === undefined) return null;
  const { inputTokens: input, outputTokens: output, reasoningTokens: reasoning, cost, durationMs } = totalsOf(calls);
  const facts = [
    last.modelUsed,
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
  return <span className="facts">{facts.filter((fact) => fact !== null).join(' · ')}</span>;
}
