import type { ExchangeView, RecordedCallView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { DiffLines } from '../../parts/diff-lines.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { client } from '../../session/client.ts';
import { exchangeQuery, exchangesQuery } from '../../session/gateway.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { clientLabel } from '../../view/client-label.ts';
import { pretty } from '../../view/diff.ts';
import { errorText } from '../../view/error-text.ts';
import { formatNumber } from '../../view/format.ts';
import { statusText } from '../../view/reasons.ts';
import { repairText } from '../../view/repairs.ts';
import { Facts } from '../details/facts.tsx';
import { CacheFacts } from './cache.tsx';
import '../context/context.css';
import '../details/details.css';
import './exchange.css';

interface OfCall {
  readonly projectId: string;
  readonly call: Pick<RecordedCallView, 'id' | 'turnId'>;
}

/** Opens what a client sent for one call, what left, and why they differ. */
export function ExchangeButton({ projectId, call }: OfCall) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        {t('exchange.open')}
      </button>
      {open ? (
        <ExchangeDialog projectId={projectId} turnId={call.turnId} callId={call.id} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

interface ExchangeDialogProps {
  readonly projectId: string;
  readonly turnId: string;
  /** The newest of the turn if absent. */
  readonly callId?: string;
  readonly onClose: () => void;
}

/** The calls that a client made in a turn, one at a time. */
export function ExchangeDialog({ projectId, turnId, callId, onClose }: ExchangeDialogProps) {
  const t = useT();
  const turn = useQuery(exchangesQuery(projectId, turnId));
  const [chosen, setChosen] = useState(callId);
  const calls = turn.data?.calls ?? [];
  const call = calls.find(({ id }) => id === chosen) ?? calls.at(-1);
  return (
    <Dialog open onClose={onClose} title={t('exchange.title')} wide>
      <div className="exchange">
        {turn.isError ? <Problem message={errorText(turn.error)} /> : null}
        {turn.data !== undefined && call === undefined ? <p className="faint">{t('exchange.none')}</p> : null}
        {call === undefined || calls.length < 2 ? null : <CallChoice calls={calls} call={call} onChoose={setChosen} />}
        {call === undefined ? null : <OneExchange key={call.id} projectId={projectId} call={call} />}
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.close')}
        </button>
      </div>
    </Dialog>
  );
}

interface CallChoiceProps {
  readonly calls: readonly RecordedCallView[];
  readonly call: RecordedCallView;
  readonly onChoose: (id: string) => void;
}

function CallChoice({ calls, call, onChoose }: CallChoiceProps) {
  const t = useT();
  return (
    <label className="call-choice">
      {t('exchange.call')}
      <select className="input" value={call.id} onChange={(event) => onChoose(event.target.value)}>
        {calls.map(({ id, model, status, repairs }, at) => (
          <option key={id} value={id}>
            {[
              formatNumber(at + 1, t.locale),
              model,
              statusText(status, t),
              ...(repairs.length === 0 ? [] : [t('gateway.repaired', { count: repairs.length })]),
            ].join(' · ')}
          </option>
        ))}
      </select>
    </label>
  );
}

function OneExchange({ projectId, call }: OfCall) {
  const exchange = useQuery(exchangeQuery(projectId, call.turnId, call.id));
  if (exchange.data !== undefined) return <Exchange projectId={projectId} exchange={exchange.data} />;
  return exchange.isError ? (
    <Problem message={errorText(exchange.error)} />
  ) : (
    <PanelSkeleton shape="facts" failures={exchange.failureCount} />
  );
}

function Exchange({ projectId, exchange }: { readonly projectId: string; readonly exchange: ExchangeView }) {
  const t = useT();
  const nameOf = useProviderName();
  const { call, askedModel, came, sent, difference } = exchange;
  return (
    <>
      <Facts
        facts={[
          [t('recorded.client'), clientLabel(call.client, t)],
          ...(call.session === null ? [] : ([[t('exchange.session'), call.session]] as const)),
          [t('exchange.mode'), t(`gateway.mode.${call.mode}`)],
          ...(askedModel === null ? [] : ([[t('exchange.asked'), `${askedModel} · ${call.path}`]] as const)),
          [t('exchange.answered'), `${call.model} · ${nameOf(call.provider)}`],
        ]}
      />
      <section>
        <h3>{t('exchange.cache')}</h3>
        <CacheFacts exchange={exchange} />
      </section>
      <section>
        <h3>{t('exchange.repairs')}</h3>
        <Repairs call={call} />
      </section>
      {difference === null ? null : (
        <section>
          <h3>{t('exchange.difference')}</h3>
          <p className="faint">
            {t('context.diff.size', {
              added: formatNumber(difference.added, t.locale),
              removed: formatNumber(difference.removed, t.locale),
            })}
          </p>
          <DiffLines lines={difference.lines} />
          {difference.more === 0 ? null : (
            <p className="faint">{t('exchange.difference.more', { count: formatNumber(difference.more, t.locale) })}</p>
          )}
        </section>
      )}
      <Body title={t('exchange.came')} of="came" body={came} projectId={projectId} call={call} />
      {call.changed ? (
        <Body title={t('exchange.sent')} of="sent" body={sent} projectId={projectId} call={call} />
      ) : null}
    </>
  );
}

function Repairs({ call }: { readonly call: RecordedCallView }) {
  const t = useT();
  if (call.mode === 'route') return <p className="faint">{t('exchange.repairs.routed')}</p>;
  if (call.repairs.length === 0) return <p className="faint">{t('exchange.repairs.none')}</p>;
  return (
    <ul className="repair-list">
      {call.repairs.map(({ rule, at, what }, index) => (
        <li key={index}>
          <strong>{repairText(rule, t)}</strong>
          <span>
            <code>{at}</code> · <code>{rule}</code> · {what}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface BodyProps extends OfCall {
  readonly title: string;
  readonly of: 'came' | 'sent';
  readonly body: ExchangeView['came'];
}

/** A body, folded: most people want to know what changed. */
function Body({ title, of, body, projectId, call }: BodyProps) {
  const t = useT();
  if (body === null)
    return (
      <section>
        <h3>{title}</h3>
        <p className="faint">{t('exchange.gone')}</p>
      </section>
    );
  return (
    <details className="exchange-body">
      <summary>{title}</summary>
      <a className="button small" href={client.exchangeBodyUrl(projectId, call.turnId, call.id, of)} download>
        {t('exchange.download', { size: formatNumber(body.characters, t.locale) })}
      </a>
      {body.whole ? null : <p className="faint">{t('exchange.beginning')}</p>}
      <LongText tag="pre" className="raw" text={body.whole ? pretty(body.text) : body.text} />
    </details>
  );
}
