import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ChartIcon, PlusIcon, SettingsIcon, TrashIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { useCreateProject } from '../../session/create-project.ts';
import { isNarrow, setPreferences } from '../../session/preferences.ts';
import { Projects } from './projects.tsx';
import './sidebar.css';

export function Sidebar({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const [search, setSearch] = useState('');
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
      <Projects typed={search} />
      <footer>
        <Link to="/trash" className="button quiet">
          <TrashIcon />
          {t('trash.title')}
        </Link>
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
