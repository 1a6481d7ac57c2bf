import type { CallView, NodeView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../view/format.ts';

/** Who answered, and what it took. */
export function ReplyFooter({ nodes, calls }: { readonly nodes: readonly NodeView[]; readonly calls: readonly CallView[] }) {
  const t = useT();
  const last = nodes.at(-1);
  if (last === undefined) return null;
  const sum = (pick: (usage: NonNullable<CallView['usage']>) => number | undefined): number | null => {
    const values = calls.flatMap((call) => (call.usage === null ? [] : [pick(call.usage)])).filter((value) => value !== undefined);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const input = sum((usage) => usage.inputTokens);
  const output = sum((usage) => usage.outputTokens);
  const reasoning = sum((usage) => usage.reasoningTokens);
  const costs = calls.map((call) => call.cost);
  const time = calls.reduce((total, call) => total + (call.endedAt === null ? 0 : Date.parse(call.endedAt) - Date.parse(call.startedAt)), 0);
  const facts = [
    last.modelUsed,
    input === null || output === null ? null : t('reply.tokens', { input: formatNumber(input, t.locale), output: formatNumber(output, t.locale) }),
    reasoning === null || reasoning === 0 ? null : t('reply.reasoningTokens', { count: formatNumber(reasoning, t.locale) }),
    costs.length === 0 ? null : costs.some((cost) => cost === null) ? t('reply.cost.unknown') : formatCost(costs.reduce<number>((total, cost) => total + (cost ?? 0), 0), t.locale),
    calls.length === 0 ? null : formatDuration(time, t.locale),
    formatTime(last.createdAt, t.locale),
  ];
  return <span className="facts">{facts.filter((fact) => fact !== null).join(' · ')}</span>;
}
