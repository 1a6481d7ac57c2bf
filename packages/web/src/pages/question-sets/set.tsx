import type { WholeQuestionSetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Refusal } from '../../panels/conversation/refusal.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { ChevronLeftIcon, EditIcon, SendIcon, TrashIcon } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { removeSet, setQuery } from '../../session/question-sets.ts';
import { attempt } from '../../session/refusals.ts';
import { errorText } from '../../view/error-text.ts';
import { formatNumber } from '../../view/format.ts';
import { RoundDialog } from './round-dialog.tsx';
import { RoundList } from './round-list.tsx';
import { SetDialog } from './set-dialog.tsx';
import './question-sets.css';

/** One question set: its questions, and the rounds in which they were asked. */
export function QuestionSetPage() {
  const t = useT();
  const { setId = '' } = useParams({ strict: false });
  const set = useQuery(setQuery(setId));
  return (
    <Page title={set.data?.name ?? t('sets.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner sets">
          <Link to="/question-sets" className="button small quiet sets-back">
            <ChevronLeftIcon />
            {t('sets.all')}
          </Link>
          {set.isError ? <Problem message={errorText(set.error)} /> : null}
          {set.isPending ? <PanelSkeleton shape="list" failures={set.failureCount} /> : null}
          {set.data === undefined ? null : <About set={set.data} />}
        </div>
      </div>
      <Refusal />
    </Page>
  );
}

function About({ set }: { readonly set: WholeQuestionSetView }) {
  const t = useT();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'ask' | 'edit' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  const remove = async (): Promise<void> => {
    if (await attempt(() => removeSet(set.id))) await navigate({ to: '/question-sets' });
  };
  return (
    <>
      <div className="sets-actions">
        <button type="button" className="button primary" onClick={() => setOpen('ask')}>
          <SendIcon />
          {t('rounds.start')}
        </button>
        <button type="button" className="button" onClick={() => setOpen('edit')}>
          <EditIcon />
          {t('sets.edit')}
        </button>
        <button type="button" className="button" onClick={() => setOpen('delete')}>
          <TrashIcon />
          {t('sets.delete')}
        </button>
      </div>
      <section className="sets-section">
        <h2>{t('rounds.title')}</h2>
        {set.rounds.length === 0 ? <p className="faint">{t('rounds.none')}</p> : <RoundList set={set} />}
      </section>
      <section className="sets-section">
        <h2>{t('sets.count', { count: formatNumber(set.count, t.locale) })}</h2>
        {set.systemPrompt === null ? null : (
          <p className="sets-prompt" dir="auto">
            <small>{t('branch.systemPrompt')}</small>
            {set.systemPrompt}
          </p>
        )}
        <Questions questions={set.questions} />
      </section>
      {open === 'ask' ? <RoundDialog set={set} onClose={close} /> : null}
      {open === 'edit' ? <SetDialog set={set} onClose={close} /> : null}
      <Confirm
        open={open === 'delete'}
        title={t('sets.delete')}
        question={t('sets.delete.sure', { name: set.name })}
        confirm={t('sets.delete')}
        onConfirm={() => void remove()}
        onClose={close}
      />
    </>
  );
}

/** As many as are read at a glance; a set has up to a thousand, each of up to a hundred thousand characters. */
const AT_FIRST = 50;
const BEGINNING = 600;

function Questions({ questions }: Pick<WholeQuestionSetView, 'questions'>) {
  const t = useT();
  const [shown, setShown] = useState(AT_FIRST);
  return (
    <>
      <ol className="sets-questions-list">
        {questions.slice(0, shown).map(({ id, text, expected }) => (
          <li key={id} dir="auto">
            {clipped(text)}
            {expected === undefined ? null : <small>{t('sets.expected', { text: clipped(expected) })}</small>}
          </li>
        ))}
      </ol>
      {questions.length <= shown ? null : (
        <button type="button" className="button sets-more" onClick={() => setShown(shown + AT_FIRST * 2)}>
          {t('kept.more')}
        </button>
      )}
    </>
  );
}

const clipped = (text: string): string =>
  text.length <= BEGINNING ? text : `${text.slice(0, BEGINNING).replace(/[\uD800-\uDBFF]$/, '')}…`;
