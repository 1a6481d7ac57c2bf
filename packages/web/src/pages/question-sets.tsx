import type { QuestionSetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../i18n/later/index.ts';
import { PlusIcon } from '../parts/icons.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { setsQuery } from '../session/question-sets.ts';
import { errorText } from '../view/error-text.ts';
import { formatNumber } from '../view/format.ts';
import { progressText, spentText, stateKey } from '../view/rounds.ts';
import { SetDialog } from './question-sets/set-dialog.tsx';
import './question-sets/question-sets.css';

/** All question sets, with what became of them last. */
export function QuestionSetsPage() {
  const t = useT();
  const navigate = useNavigate();
  const sets = useQuery(setsQuery);
  // Where a reader comes from a branch, the set is made of it.
  const { project, branch } = useSearch({ strict: false });
  const from = project === undefined || branch === undefined ? null : { project, branch };
  const [isNew, setNew] = useState(from !== null);
  const close = async (): Promise<void> => {
    setNew(false);
    if (from !== null) await navigate({ to: '/question-sets', replace: true });
  };
  return (
    <Page title={t('sets.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner sets">
          <div className="sets-head">
            <p className="faint">{t('sets.lead')}</p>
            <button type="button" className="button primary" onClick={() => setNew(true)}>
              <PlusIcon />
              {t('sets.new')}
            </button>
          </div>
          {sets.isError ? <Problem message={errorText(sets.error)} /> : null}
          {sets.isPending ? <PanelSkeleton shape="list" failures={sets.failureCount} /> : null}
          {sets.data?.length === 0 ? <p>{t('sets.empty')}</p> : null}
          <ul className="sets-list">
            {sets.data?.map((set) => (
              <SetRow key={set.id} set={set} />
            ))}
          </ul>
        </div>
      </div>
      {isNew ? (
        <SetDialog
          from={from}
          onSaved={(setId) => void navigate({ to: '/question-sets/$setId', params: { setId } })}
          onClose={() => void close()}
        />
      ) : null}
    </Page>
  );
}

function SetRow({ set }: { readonly set: QuestionSetView }) {
  const t = useT();
  const { id, name, count, rounds } = set;
  const last = rounds.at(-1);
  const size = [
    t('sets.count', { count: formatNumber(count, t.locale) }),
    t('sets.roundCount', { count: formatNumber(rounds.length, t.locale) }),
  ];
  return (
    <li>
      <Link to="/question-sets/$setId" params={{ setId: id }} dir="auto">
        {name}
      </Link>
      <span className="faint">{size.join(' · ')}</span>
      {last === undefined ? null : (
        <Link className="sets-last" to="/question-sets/$setId/rounds/$roundId" params={{ setId: id, roundId: last.id }}>
          <span className="badge">{t(stateKey(last))}</span> {progressText(last, t)} · {spentText(last, t)}
        </Link>
      )}
    </li>
  );
}
