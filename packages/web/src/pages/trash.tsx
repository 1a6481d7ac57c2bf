import type { TrashEntryView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Translator } from '../i18n/later/index.ts';
import { useT } from '../i18n/later/index.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { purge, restore, trashQuery } from '../session/trash.ts';
import { messageCount } from '../view/deletion.ts';
import { errorText } from '../view/error-text.ts';
import { formatTime } from '../view/format.ts';
import './trash/trash.css';

/** What was deleted in the last thirty days. */
export function Trash() {
  const t = useT();
  const trash = useQuery(trashQuery);
  const [problem, setProblem] = useState<string | null>(null);
  const [asking, setAsking] = useState<TrashEntryView | 'all' | null>(null);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const entries = trash.data?.entries ?? [];
  const isAll = asking === 'all';
  return (
    <Page title={t('trash.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner trash">
          <p className="faint">{t('trash.lead')}</p>
          {problem === null ? null : <Problem message={problem} />}
          {trash.isError ? <Problem message={errorText(trash.error)} /> : null}
          {trash.isPending ? <PanelSkeleton shape="list" failures={trash.failureCount} /> : null}
          {trash.data !== undefined && entries.length === 0 ? <p>{t('trash.empty')}</p> : null}
          {entries.length === 0 ? null : (
            <>
              <ul className="trash-list">
                {entries.map((entry) => (
                  <li key={entry.id}>
                    <div className="trash-what">
                      <strong>{titleOf(entry, t)}</strong>
                      <span className="faint">{whereOf(entry, t)}</span>
                    </div>
                    <div className="trash-actions">
                      <button type="button" className="button small" onClick={() => void act(() => restore(entry.id))}>
                        {t('trash.restore')}
                      </button>
                      <button type="button" className="button small quiet" onClick={() => setAsking(entry)}>
                        {t('trash.purge')}
                      </button>
                    </div>
                  </li>
                ))}
              </ul>
              <button type="button" className="button danger trash-all" onClick={() => setAsking('all')}>
                {t('trash.purgeAll')}
              </button>
            </>
          )}
        </div>
      </div>
      <Confirm
        open={asking !== null}
        title={isAll ? t('trash.purgeAll') : t('trash.purge')}
        question={
          isAll || asking === null ? t('trash.purgeAll.sure') : t('trash.purge.sure', { what: titleOf(asking, t) })
        }
        confirm={isAll ? t('trash.purgeAll') : t('trash.purge')}
        onClose={() => setAsking(null)}
        onConfirm={() => void act(() => purge(isAll || asking === null ? undefined : asking.id))}
      />
    </Page>
  );
}

function titleOf({ kind, title, messages }: TrashEntryView, t: Translator): string {
  if (kind === 'branch') return t('trash.branch', { name: title });
  if (kind === 'project') return t('trash.project', { name: title, messages: messageCount(messages, t) });
  return title === '' ? messageCount(messages, t) : t('trash.messages', { messages: messageCount(messages, t), title });
}

function whereOf({ kind, projectName, deletedAt, purgedAt }: TrashEntryView, t: Translator): string {
  const values = { time: formatTime(deletedAt, t.locale), until: formatTime(purgedAt, t.locale) };
  return kind === 'project' ? t('trash.when', values) : t('trash.where', { ...values, project: projectName });
}
