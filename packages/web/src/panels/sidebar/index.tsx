import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import {
  ChartIcon,
  GatewayIcon,
  QuestionSetIcon,
  SelectIcon,
  SettingsIcon,
  StarIcon,
  TrashIcon,
} from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { isNarrow, setPreferences } from '../../session/preferences.ts';
import { startChoosing, stopChoosing, useChosen } from '../../session/selection.ts';
import { moveThroughResults } from '../search/result-keys.ts';
import { NewProject } from './new-project.tsx';
import { NewsOffer } from './news-offer.tsx';
import { Projects } from './projects.tsx';
import './sidebar.css';

const SelectionBar = lazy(() =>
  import('./selection-bar.tsx').then(({ SelectionBar: component }) => ({ default: component })),
);

export function Sidebar({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const [search, setSearch] = useState('');
  const chosen = useChosen();
  const close = (): void => setPreferences({ sidebarOpen: false });

  return (
    <nav
      className="sidebar"
      aria-label={t('projects.title')}
      onKeyDown={moveThroughResults}
      onClick={(event) => {
        if (isNarrow() && event.target instanceof Element && event.target.closest('a') !== null) close();
      }}
    >
      <header>
        <Link to="/" className="wordmark">
          <img src="/icon.svg" alt="" width="22" height="22" />
          {t('app.name')}
        </Link>
        <span className="sidebar-actions">
          <IconButton
            label={t('select.start')}
            pressed={chosen !== null}
            onClick={() => (chosen === null ? startChoosing() : stopChoosing())}
          >
            <SelectIcon />
          </IconButton>
          <NewProject />
        </span>
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
      {chosen === null ? null : (
        <Suspense fallback={null}>
          <SelectionBar />
        </Suspense>
      )}
      <NewsOffer />
      <footer>
        <Link to="/kept" className="button quiet">
          <StarIcon />
          {t('kept.title')}
        </Link>
        <Link to="/question-sets" className="button quiet">
          <QuestionSetIcon />
          {t('sets.title')}
        </Link>
        <Link to="/trash" className="button quiet">
          <TrashIcon />
          {t('trash.title')}
        </Link>
        <Link to="/clients" className="button quiet">
          <GatewayIcon />
          {t('gateway.title')}
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
