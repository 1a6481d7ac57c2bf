import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { useDragged, useDropProject } from '../../session/drag-project.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import type { ProjectSearch } from '../../session/queries.ts';
import { inFolder, PINNED, projectQuery, projectsQuery, UNFILED } from '../../session/queries.ts';
import { matches } from '../../view/matches.ts';
import type { SearchHit } from '../../view/search-groups.ts';
import { useNewsIn } from './news-in.ts';
import { Folder } from './folder.tsx';
import { OpenProject } from './project-item.tsx';
import { ProjectList } from './project-list.tsx';

const SearchResults = lazy(() =>
  import('../search/results.tsx').then(({ SearchResults: component }) => ({ default: component })),
);

/**
 * What can be opened: pinned projects, folders, all others by last use, the archive. A search goes through all of them,
 * and through what was said in them. The server searches: most projects of a long list are not in the page.
 */
export function Projects({ typed }: { readonly typed: string }) {
  const t = useT();
  const { projectId } = useParams({ strict: false });
  const search = useSettled(typed.trim(), 150);
  const isSearch = search !== '';
  const listed: ProjectSearch = isSearch ? { search, archived: false } : UNFILED;
  const archive = { search, archived: true };
  const { data: first, isPlaceholderData } = useQuery({ ...projectsQuery(listed), placeholderData: keepPreviousData });
  const pinned = useQuery({ ...projectsQuery(PINNED), enabled: !isSearch }).data;
  const archived = useQuery({ ...projectsQuery(archive), placeholderData: keepPreviousData }).data;
  const { openFolders } = usePreferences();
  const folders = isSearch ? [] : (first?.folders ?? []).filter(({ unpinned }) => unpinned > 0);
  const open = folders.filter(({ name }) => openFolders.includes(name));
  const inOpen = useQueries({ queries: open.map(({ name }) => projectsQuery(inFolder(name))) });
  const opened = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined }).data;
  const current = opened?.project;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [showsArchive, setShowsArchive] = useState(false);
  const newsIn = useNewsIn();
  // Far down in a list, in a closed folder or left out by the search, it would be invisible, and its branches too.
  const shown = [first, isSearch ? undefined : pinned, ...inOpen.map(({ data }) => data)];
  const isFar =
    first !== undefined &&
    current !== undefined &&
    !shown.some((list) => list?.projects.some(({ id }) => id === current.id) === true) &&
    // What a search leaves out must not look like something that it found.
    (!isSearch || opened?.branches.some(({ name }) => matches(name, search)) === true);
  const isEmpty = first?.total === 0 && archived?.total === 0 && folders.length === 0 && (pinned?.total ?? 0) === 0;
  const lists = { currentId: projectId, openId: isFar ? undefined : projectId, typed };
  const isListed = (hit: SearchHit): boolean =>
    hit.kind === 'project'
      ? matches(hit.projectName, search)
      : hit.kind === 'branch' && hit.projectId === projectId && matches(hit.branchName ?? '', search);
  const toggle = (name: string, isOpen: boolean): void =>
    setPreferences({ openFolders: [...openFolders.filter((each) => each !== name), ...(isOpen ? [name] : [])] });
  return (
    <>
      {isFar ? (
        <div className="project-apart">
          <OpenProject key={current.id} project={current} search={typed} />
        </div>
      ) : null}
      <div className="sidebar-scroll" ref={setScroller}>
        <div className="sidebar-lists" aria-busy={search !== typed.trim() || isPlaceholderData}>
          {isEmpty && !isSearch ? <p className="faint">{t('projects.empty')}</p> : null}
          {scroller === null ? null : (
            <>
              {isSearch || pinned === undefined || pinned.total === 0 ? null : (
                <ProjectList of={PINNED} label={t('projects.pinned')} scroller={scroller} {...lists} />
              )}
              {folders.map(({ name, unpinned }) => (
                <Folder
                  key={name}
                  name={name}
                  count={unpinned}
                  isOpen={openFolders.includes(name)}
                  holds={newsIn(name)}
                  onToggle={(isOpen) => toggle(name, isOpen)}
                >
                  <ProjectList of={inFolder(name)} label={name} scroller={scroller} {...lists} />
                </Folder>
              ))}
              <Unfiled>
                <ProjectList of={listed} label={t('projects.label')} scroller={scroller} {...lists} />
              </Unfiled>
            </>
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
                  {...lists}
                  of={archive}
                  label={t('projects.archived')}
                  openId={undefined}
                  scroller={scroller}
                />
              ) : null}
            </details>
          )}
          {typed.trim() === '' ? null : (
            <Suspense fallback={<p hidden aria-busy="true" />}>
              <SearchResults typed={typed} isListed={isListed} isAlone={isEmpty && !isFar} />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}

/** Projects that are in no folder; one that is dropped here leaves its own. */
function Unfiled({ children }: { readonly children: ReactNode }) {
  const drop = useDropProject(null);
  const dragged = useDragged();
  return (
    <div
      className="unfiled"
      data-open={dragged !== null && dragged.folder !== null ? '' : undefined}
      data-over={drop.isOver ? '' : undefined}
      {...drop.handlers}
    >
      {children}
    </div>
  );
}
