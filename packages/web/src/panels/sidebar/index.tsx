import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ChartIcon, PlusIcon, SettingsIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { useCreateProject } from '../../session/create-project.ts';
import { isNarrow, setPreferences } from '../../session/preferences.ts';
import { projectQuery, projectsQuery } from '../../session/queries.ts';
import { matches } from '../../view/matches.ts';
import { BranchList } from './branch-list.tsx';
import { ProjectMenu } from './project-menu.tsx';
import './sidebar.css';

export function Sidebar({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const { projectId } = useParams({ strict: false });
  const [search, setSearch] = useState('');
  const projects = useQuery(projectsQuery);
  const project = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined });
  const all = projects.data?.projects ?? [];
  const shown = all.filter((each) => !each.archived && (matches(each.name, search) || each.id === projectId));
  const archived = all.filter((each) => each.archived && matches(each.name, search));

  const create = useCreateProject();
  const close = (): void => setPreferences({ sidebarOpen: false });

  return (
    <nav
      className="sidebar"
      aria-label={t('projects.title')}
      onClick={(event) => {
        if (isNarrow() && event.target instanceof Element && event.target.closest('a') !== null) close();
      }}
    >
      <header>
        <Link to="/" className="wordmark">
          <img src="/icon.svg" alt="" width="22" height="22" />
          {t('app.name')}
        </Link>
        <IconButton label={t('projects.new')} onClick={() => void create()}>
          <PlusIcon />
        </IconButton>
      </header>
      <input
        className="input"
        type="search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        placeholder={t('projects.search')}
        aria-label={t('projects.search')}
      />
      <div className="sidebar-scroll">
        {projects.isSuccess && all.length === 0 ? <p className="faint">{t('projects.empty')}</p> : null}
        <ul className="project-list">
          {shown.map((each) => (
            <li key={each.id} data-current={each.id === projectId ? '' : undefined}>
              <div className="project-row">
                <Link
                  to="/p/$projectId"
                  params={{ projectId: each.id }}
                  aria-current={each.id === projectId ? 'page' : undefined}
                >
                  {each.name}
                </Link>
                <ProjectMenu project={each} />
              </div>
              {each.id === projectId ? (
                <BranchList projectId={each.id} branches={project.data?.branches ?? []} search={search} />
              ) : null}
            </li>
          ))}
        </ul>
        {archived.length === 0 ? null : (
          <details className="archived">
            <summary>
              {t('projects.archived')} · {archived.length}
            </summary>
            <ul className="project-list">
              {archived.map((each) => (
                <li key={each.id}>
                  <div className="project-row">
                    <Link to="/p/$projectId" params={{ projectId: each.id }}>
                      {each.name}
                    </Link>
                    <ProjectMenu project={each} />
                  </div>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <footer>
        <Link to="/diagnostics" className="button quiet">
          <ChartIcon />
          {t('diagnostics.title')}
        </Link>
        <Link to="/settings" className="button quiet">
          <SettingsIcon />
          {t('settings.title')}
        </Link>
      </footer>
      {children}
      <button type="button" className="scrim" aria-label={t('dialog.close')} onClick={close} />
    </nav>
  );
}
