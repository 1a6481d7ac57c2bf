import type { ListedAnnotation } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Translator } from '../i18n/later/index.ts';
import { useT } from '../i18n/later/index.ts';
import { useOpenHit } from '../panels/search/open-hit.tsx';
import { QuoteIcon, StarIcon } from '../parts/icons.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { keptQuery } from '../session/annotations.ts';
import { setOpened } from '../session/opened.ts';
import { notePlace } from '../session/questions.ts';
import { errorText } from '../view/error-text.ts';
import { withoutMarks } from '../view/excerpt.ts';
import { formatTime } from '../view/format.ts';
import './kept/kept-page.css';

const KINDS = ['', 'star', 'bookmark', 'note', 'question', 'verdict'] as const;
const PAGE = 100;

/** What a person kept beside messages, in all projects or in one. */
export function KeptPage() {
  const t = useT();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('');
  const [project, setProject] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const [typed, setTyped] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const kept = useQuery(keptQuery(kind, project?.id, limit));
  const { open, dialog } = useOpenHit();
  const all = kept.data?.annotations ?? [];
  const shown = all.filter((one) => matches(one, typed));
  const isOfMany = new Set(all.map(({ projectId }) => projectId)).size > 1;
  const goTo = (one: ListedAnnotation): void => {
    // Among many notes beside a reply, it is the one that is open.
    if (one.kind === 'question') setOpened(notePlace(one.name), true);
    open({ ...one, kind: 'node', archived: false, hidden: false, createdAt: one.changedAt, matches: [] });
  };
  return (
    <Page title={t('kept.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner kept">
          <p className="faint">{t('kept.lead')}</p>
          <div className="kept-filters">
            <div className="kept-kinds" role="group" aria-label={t('kept.kinds')}>
              {KINDS.map((one) => (
                <button
                  key={one}
                  type="button"
                  className="button small"
                  aria-pressed={one === kind}
                  onClick={() => setKind(one)}
                >
                  {t(one === '' ? 'kept.all' : `kept.kind.${one}`)}
                </button>
              ))}
            </div>
            {project === null ? null : (
              <button type="button" className="button small" onClick={() => setProject(null)}>
                {t('kept.everywhere', { name: project.name })}
              </button>
            )}
            <input
              className="input"
              type="search"
              value={typed}
              placeholder={t('kept.filter')}
              aria-label={t('kept.filter')}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          {kept.isError ? <Problem message={errorText(kept.error)} /> : null}
          {kept.isPending ? <PanelSkeleton shape="list" failures={kept.failureCount} /> : null}
          {kept.data !== undefined && shown.length === 0 ? (
            <p>{t(all.length === 0 ? 'kept.empty' : 'kept.none')}</p>
          ) : null}
          <ul className="kept-list">
            {shown.map((one) => (
              <li key={JSON.stringify([one.projectId, one.nodeId, one.kind, one.name])}>
                <button type="button" className="kept-entry" onClick={() => goTo(one)}>
                  <strong dir="auto">{wordsOf(one, t)}</strong>
                  <span className="kept-message" dir="auto">
                    {withoutMarks(one.title)}
                  </span>
                  <span className="faint">{aboutOf(one, t)}</span>
                </button>
                {project === null && isOfMany ? (
                  <button
                    type="button"
                    className="button small quiet"
                    onClick={() => setProject({ id: one.projectId, name: one.projectName })}
                  >
                    {t('kept.only', { name: one.projectName })}
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
          {kept.data !== undefined && kept.data.total > all.length && limit < 500 ? (
            <button type="button" className="button" onClick={() => setLimit(Math.min(500, limit + PAGE))}>
              {t('kept.more')}
            </button>
          ) : null}
        </div>
      </div>
      {dialog}
    </Page>
  );
}

function wordsOf({ kind, name, text, verdict }: ListedAnnotation, t: Translator) {
  if (kind === 'note') return text;
  if (kind === 'bookmark') return name;
  if (kind === 'verdict' && verdict !== undefined)
    return text === '' ? t(`kept.verdict.${verdict}`) : `${t(`kept.verdict.${verdict}`)}: ${text}`;
  if (kind === 'question')
    return (
      <>
        <QuoteIcon /> {text}
      </>
    );
  return (
    <>
      <StarIcon /> {t('kept.starred')}
    </>
  );
}

function aboutOf({ projectName, branchName, model, changedAt }: ListedAnnotation, t: Translator): string {
  const parts = [projectName, branchName ?? t('kept.noBranch'), model, formatTime(changedAt, t.locale)];
  return parts.filter((part) => part !== null).join(' · ');
}

function matches({ name, text, title, projectName }: ListedAnnotation, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return wanted === '' || [name, text, title, projectName].some((part) => part.toLowerCase().includes(wanted));
}
