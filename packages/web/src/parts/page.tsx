import type { ReactNode } from 'react';
import { useT } from '../i18n/index.ts';
import { setPreferences, usePreferences } from '../session/preferences.ts';
import { PanelLeftIcon } from './icons.tsx';
import { IconButton } from './tooltip.tsx';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page that is no conversation: a bar with its name, then its content. */
export function Page({ title, actions, children }: PageProps) {
  const t = useT();
  const { sidebarOpen } = usePreferences();
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <IconButton
          label={t('sidebar.toggle')}
          pressed={sidebarOpen}
          onClick={() => setPreferences({ sidebarOpen: !sidebarOpen })}
        >
          <PanelLeftIcon />
        </IconButton>
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </main>
  );
}
