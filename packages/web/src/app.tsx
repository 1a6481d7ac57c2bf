import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from './i18n/index.ts';
import { Sidebar } from './panels/sidebar/index.tsx';
import { Unlock } from './pages/unlock.tsx';
import { Palette } from './panels/palette/index.tsx';
import { Connection } from './parts/connection.tsx';
import { UndoNotice } from './panels/undo/index.tsx';
import { Resizer } from './parts/resizer.tsx';
import { setPreferences, usePreferences } from './session/preferences.ts';
import { asksForToken, projectsQuery } from './session/queries.ts';
import { startSendingQueued } from './session/send.ts';

/** The frame: projects and branches on the left, and next to them whatever the address names. */
export function App() {
  const t = useT();
  const { sidebarOpen, sidebarWidth } = usePreferences();
  const projects = useQuery(projectsQuery());
  const isOpen = projects.isSuccess;
  useEffect(() => (isOpen ? startSendingQueued() : undefined), [isOpen]);
  if (asksForToken(projects.error)) return <Unlock />;
  return (
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
      <Connection />
      <UndoNotice />
      <Palette />
    </div>
  );
}
