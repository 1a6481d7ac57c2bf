import type { RecordedCallView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { exchangesQuery } from '../../session/gateway.ts';
import { clientLabel } from '../../view/client-label.ts';
import { formatNumber } from '../../view/format.ts';
import { statusText } from '../../view/reasons.ts';
import { ExchangeButton } from './index.tsx';

interface RecordedCallsProps {
  readonly projectId: string;
  readonly turnId: string;
  /** Only so many, the newest. */
  readonly most?: number;
  /** What is said about the newest one besides. */
  readonly children?: ReactNode;
}

/** The calls of a turn that a client made. */
export function RecordedCalls({ projectId, turnId, most = Infinity, children }: RecordedCallsProps) {
  const calls = useQuery(exchangesQuery(projectId, turnId)).data?.calls ?? [];
  return (
    <ol className="calls recorded-calls">
      {calls
        .toReversed()
        .slice(0, most)
        .map((call, at) => (
          <li key={call.id}>
            <div className="recorded-call">
              <code>{call.model}</code>
              <About call={call} />
            </div>
            <ExchangeButton projectId={projectId} call={call} />
            {at === 0 ? children : null}
          </li>
        ))}
    </ol>
  );
}

function About({ call }: { readonly call: RecordedCallView }) {
  const t = useT();
  const { usage, repairs, mode } = call;
  const facts = [
    clientLabel(call.client, t),
    statusText(call.status, t),
    usage?.cachedInputTokens === undefined || usage.cachedInputTokens === 0
      ? null
      : t('details.cached', { count: formatNumber(usage.cachedInputTokens, t.locale) }),
    mode === 'route' ? t('gateway.mode.route') : null,
    repairs.length === 0 ? null : t('gateway.repaired', { count: formatNumber(repairs.length, t.locale) }),
  ];
  return <span>{facts.filter((fact) => fact !== null).join(' · ')}</span>;
}
