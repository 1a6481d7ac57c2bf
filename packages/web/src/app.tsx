import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from './i18n/index.ts';
import { Sidebar } from './panels/sidebar/index.tsx';
import { Unlock } from './pages/unlock.tsx';
import { Palette } from './panels/palette/index.tsx';
import { Connection } from './parts/connection.tsx';
import { OverBudget } from './panels/budgets/question.tsx';
import { UndoNotice } from './panels/undo/index.tsx';
import { useStay } from './parts/files/stay.ts';
import { Resizer } from './parts/resizer.tsx';
import { setPreferences, usePreferences } from './session/preferences.ts';
import { setAnnouncer } from './session/notify.ts';
import { asksForToken, projectsQuery, UNFILED } from './session/queries.ts';
import { startSendingQueued } from './session/send.ts';
import { watch } from './session/watch.ts';

/** The frame: projects and branches on the left, and next to them whatever the address names. */
export function App() {
  const t = useT();
  const { sidebarOpen, sidebarWidth } = usePreferences();
  const projects = useQuery(projectsQuery(UNFILED));
  const isOpen = projects.isSuccess;
  useEffect(() => (isOpen ? startSendingQueued() : undefined), [isOpen]);
  const { projectId } = useParams({ strict: false });
  useEffect(() => (isOpen ? watch(projectId) : undefined), [isOpen, projectId]);
  useAnnouncer();
  useStay();
  if (asksForToken(projects.error)) return <Unlock />;
  return (
    <div className="frame">
      <Connection />
      <div
        className="app"
        style={{ ['--sidebar-width' as string]: `${sidebarWidth}px` }}
        data-sidebar={sidebarOpen ? 'open' : 'closed'}
      >
        <a className="skip" href="#conversation">
          {t('app.skip')}
        </a>
        {sidebarOpen ? (
          <Sidebar>
            <Resizer
              side="left"
              width={sidebarWidth}
              onResize={(width) => setPreferences({ sidebarWidth: width })}
              label={t('sidebar.width')}
            />
          </Sidebar>
        ) : null}
        <Outlet />
        <UndoNotice />
        <OverBudget />
        <Palette />
      </div>
    </div>
  );
}

/** Notifications are written in the reader's language and lead to where something happened. */
function useAnnouncer(): void {
  const t = useT();
  const navigate = useNavigate();
  useEffect(() => {
    setAnnouncer(
      ({ kind, projectName, branch }) => ({ title: t(`news.${kind}`), body: `${projectName} · ${branch}` }),
      ({ projectId, branch }) => void navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch } }),
    );
  }, [t, navigate]);
}
