import type { GatewaySessionView, GatewayView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Translator } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import { CacheFacts } from '../../panels/exchange/cache.tsx';
import { RecordedCalls } from '../../panels/exchange/recorded-calls.tsx';
import { Facts } from '../../panels/details/facts.tsx';
import { exchangeQuery, exchangesQuery } from '../../session/gateway.ts';
import { clientLabel } from '../../view/client-label.ts';
import { ageText } from '../../view/age-text.ts';
import { formatCost, formatKnownTime, formatNumber } from '../../view/format.ts';
import { repairText } from '../../view/repairs.ts';
import { SessionMode } from './session-mode.tsx';

interface SessionRowProps {
  readonly session: GatewaySessionView;
  readonly serverMode: GatewayView['mode'];
  readonly now: number;
}

const NEWEST_CALLS = 3;

export function SessionRow({ session, serverMode, now }: SessionRowProps) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const { projectId, name, lastUsedAt, running, clients, models } = session;
  const who = [...clients.map((client) => clientLabel(client, t)), ...models.map(({ model }) => model)];
  return (
    <li className="session" data-running={running ? '' : undefined}>
      <div className="session-head">
        <Link to="/p/$projectId" params={{ projectId }}>
          {name}
        </Link>
        {running ? <span className="pulse" role="img" aria-label={t('gateway.running')} /> : null}
        <time dateTime={lastUsedAt} title={formatKnownTime(lastUsedAt, t.locale) ?? undefined}>
          {ageText(lastUsedAt, now, t)}
        </time>
      </div>
      <span className="session-who">{who.join(' · ')}</span>
      <span className="session-use">{useOf(session, t).join(' · ')}</span>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t('gateway.session.open')}</summary>
        {open ? <About session={session} serverMode={serverMode} /> : null}
      </details>
    </li>
  );
}

function useOf(session: GatewaySessionView, t: Translator): readonly string[] {
  const { requests, branches, inputTokens, cachedInputTokens, repaired, routed, cost } = session;
  const count = (value: number): string => formatNumber(value, t.locale);
  const percent = new Intl.NumberFormat(t.locale, { style: 'percent', maximumFractionDigits: 0 });
  return [
    requests === 1 ? t('gateway.requests.one') : t('gateway.requests', { count: count(requests) }),
    ...(branches > 1 ? [t('gateway.branches', { count: count(branches) })] : []),
    cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale),
    inputTokens === 0 || cachedInputTokens === 0
      ? t('gateway.cached.none')
      : t('gateway.cached', { percent: percent.format(cachedInputTokens / inputTokens) }),
    ...(repaired > 0 ? [t('gateway.repaired', { count: count(repaired) })] : []),
    ...(routed > 0 ? [t('gateway.routed', { count: count(routed) })] : []),
  ];
}

/** What is read only when somebody looks: why the newest request missed the cache, and the calls themselves. */
function About({ session, serverMode }: Omit<SessionRowProps, 'now'>) {
  const t = useT();
  const { projectId, newestTurnId, inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, repairs } = session;
  const count = (value: number): string => formatNumber(value, t.locale);
  const told = repairs.map(({ rule, count: times }) => `${repairText(rule, t)} (${count(times)})`);
  return (
    <div className="session-about">
      <Facts
        facts={[
          [
            t('gateway.tokens'),
            t('gateway.tokens.value', {
              input: count(inputTokens),
              cached: count(cachedInputTokens),
              written: count(cacheWriteTokens),
              output: count(outputTokens),
            }),
          ],
          ...(told.length === 0 ? [] : ([[t('gateway.repairs'), told.join('\n')]] as const)),
        ]}
      />
      <SessionMode session={session} serverMode={serverMode} />
      {newestTurnId === null ? null : (
        <>
          <h3>{t('gateway.last')}</h3>
          <RecordedCalls projectId={projectId} turnId={newestTurnId} most={NEWEST_CALLS}>
            <NewestCause projectId={projectId} turnId={newestTurnId} />
          </RecordedCalls>
        </>
      )}
    </div>
  );
}

function NewestCause({ projectId, turnId }: { readonly projectId: string; readonly turnId: string }) {
  const call = useQuery(exchangesQuery(projectId, turnId)).data?.calls.at(-1);
  const exchange = useQuery({
    ...exchangeQuery(projectId, turnId, call?.id ?? ''),
    enabled: call !== undefined,
  });
  return exchange.data === undefined ? null : <CacheFacts exchange={exchange.data} />;
}
