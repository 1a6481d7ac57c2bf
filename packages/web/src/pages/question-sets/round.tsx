import type { RoundTableView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Refusal } from '../../panels/conversation/refusal.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { removeRound, roundQuery } from '../../session/question-sets.ts';
import { attempt } from '../../session/refusals.ts';
import { errorText } from '../../view/error-text.ts';
import { formatNumber, formatTime } from '../../view/format.ts';
import { progressText, questionsAtOnce, spentText, stateKey } from '../../view/rounds.ts';
import { AnswersTable } from './answers-table.tsx';
import { ByModel } from './by-model.tsx';
import { RoundActions } from './round-actions.tsx';
import '../diagnostics/diagnostics.css';
import './question-sets.css';

/** One round: questions by models, as it comes, and what can be done about it. */
export function RoundPage() {
  const t = useT();
  const navigate = useNavigate();
  const { setId = '', roundId = '' } = useParams({ strict: false });
  const [offset, setOffset] = useState(0);
  // How many questions a page has is known with the first answer.
  const [size, setSize] = useState(5);
  const table = useQuery(roundQuery(roundId, offset, size));
  const { data } = table;
  const wanted = data === undefined ? size : questionsAtOnce(data.round);
  if (wanted !== size) setSize(wanted);
  const remove = async (): Promise<void> => {
    if (await attempt(() => removeRound(roundId))) await navigate({ to: '/question-sets/$setId', params: { setId } });
  };
  return (
    <Page
      title={data?.set.name ?? t('sets.title')}
      {...(data === undefined ? {} : { about: formatTime(data.round.createdAt, t.locale) })}
    >
      <div className="page" tabIndex={0}>
        <div className="page-inner sets round">
          <Link to="/question-sets/$setId" params={{ setId }} className="button small quiet sets-back">
            <ChevronLeftIcon />
            {t('rounds.back')}
          </Link>
          {table.isError ? <Problem message={errorText(table.error)} /> : null}
          {table.isPending ? <PanelSkeleton shape="list" failures={table.failureCount} /> : null}
          {data === undefined ? null : (
            <>
              <Standing table={data} />
              <RoundActions round={data.round} onDelete={() => void remove()} />
              <section className="sets-section">
                <h2>{t('rounds.byModel')}</h2>
                <ByModel sums={data.sums} />
              </section>
              <section className="sets-section">
                <h2>{t('rounds.answers')}</h2>
                <Pages count={data.set.count} offset={offset} size={size} onChange={setOffset} />
                <AnswersTable table={data} offset={offset} isOld={table.isPlaceholderData} />
                {data.rows.length < 10 ? null : (
                  <Pages count={data.set.count} offset={offset} size={size} onChange={setOffset} />
                )}
              </section>
            </>
          )}
        </div>
      </div>
      <Refusal />
    </Page>
  );
}

/** How far it is, what it spent, and why it stands still. */
function Standing({ table: { round } }: { readonly table: RoundTableView }) {
  const t = useT();
  const { state, because, answers, complete, failed } = round;
  return (
    <div className="round-standing">
      <p role="status">
        <span className={state === 'running' ? 'badge thought' : 'badge'}>{t(stateKey(round))}</span>{' '}
        {progressText(round, t)}
        {' · '}
        {spentText(round, t)}
        {' · '}
        <time dateTime={round.createdAt}>{formatTime(round.createdAt, t.locale)}</time>
      </p>
      <progress aria-label={t('rounds.answers')} value={complete + failed} max={Math.max(1, answers)} />
      {because === null ? null : <p className="notice warn">{t(`rounds.because.${because.code}`)}</p>}
    </div>
  );
}

interface PagesProps {
  readonly count: number;
  readonly offset: number;
  readonly size: number;
  readonly onChange: (offset: number) => void;
}

function Pages({ count, offset, size, onChange }: PagesProps) {
  const t = useT();
  if (count <= size) return null;
  const last = Math.min(count, offset + size);
  const number = (value: number): string => formatNumber(value, t.locale);
  return (
    <div className="round-pages" role="group" aria-label={t('rounds.pages')}>
      <IconButton
        label={t('rounds.previous')}
        disabled={offset === 0}
        onClick={() => onChange(Math.max(0, offset - size))}
      >
        <ChevronLeftIcon />
      </IconButton>
      <span>{t('rounds.page', { first: number(offset + 1), last: number(last), count: number(count) })}</span>
      <IconButton label={t('rounds.next')} disabled={last >= count} onClick={() => onChange(offset + size)}>
        <ChevronRightIcon />
      </IconButton>
    </div>
  );
}
