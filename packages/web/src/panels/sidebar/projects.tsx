import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { projectQuery, projectsQuery } from '../../session/queries.ts';
import { OpenProject } from './project-item.tsx';
import { ProjectList } from './project-list.tsx';

/** What can be opened. The server searches the names: most projects of a long list are not in the page. */
export function Projects({ typed }: { readonly typed: string }) {
  const t = useT();
  const { projectId } = useParams({ strict: false });
  const search = useSettled(typed.trim(), 150);
  const listed = { search, archived: false };
  const archive = { search, archived: true };
  const first = useQuery({ ...projectsQuery(listed), placeholderData: keepPreviousData }).data;
  const archived = useQuery({ ...projectsQuery(archive), placeholderData: keepPreviousData }).data;
  const open = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined }).data?.project;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [showsArchive, setShowsArchive] = useState(false);
  // Far down in the list, or left out by the search, it would be invisible together with its branches.
  const isFar = first !== undefined && open !== undefined && !first.projects.some(({ id }) => id === open.id);
  const isEmpty = first?.total === 0 && archived?.total === 0;
  return (
    <>
      {isFar ? (
        <div className="project-apart">
          <OpenProject key={open.id} project={open} search={typed} />
        </div>
      ) : null}
      <div className="sidebar-scroll" ref={setScroller}>
        {isEmpty ? <p className="faint">{search === '' ? t('projects.empty') : t('projects.none')}</p> : null}
        {scroller === null ? null : (
          <ProjectList
            of={listed}
            label={t('projects.label')}
            currentId={projectId}
            openId={isFar ? undefined : projectId}
            typed={typed}
            scroller={scroller}
          />
        )}
        {archived === undefined || archived.total === 0 ? null : (
          <details
            className="archived"
            open={showsArchive}
            onToggle={(event) => setShowsArchive(event.currentTarget.open)}
          >
            <summary>
              {t('projects.archived')} · {archived.total}
            </summary>
            {showsArchive && scroller !== null ? (
              <ProjectList
                of={archive}
                label={t('projects.archived')}
                currentId={projectId}
                openId={undefined}
                typed={typed}
                scroller={scroller}
              />
            ) : null}
          </details>
        )}
      </div>
    </>
  );
}
