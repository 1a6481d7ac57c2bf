import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/index.ts';
import { PanelLeftIcon, PlusIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/tooltip.tsx';
import { Problem } from '../parts/problem.tsx';
import { useCreateProject } from '../session/create-project.ts';
import { setPreferences, usePreferences } from '../session/preferences.ts';
import { projectsQuery, providersQuery } from '../session/queries.ts';

/** The first page: a way in, and what answers while no key is set. */
export function Home() {
  const t = useT();
  const { sidebarOpen } = usePreferences();
  const projects = useQuery(projectsQuery);
  const providers = useQuery(providersQuery);
  const simulated = providers.data?.defaults.provider.startsWith('simulated') === true;
  const create = useCreateProject();
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
      </div>
      <div className="welcome">
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>{t('conversation.empty.title')}</h1>
        <p>{t('conversation.empty.body')}</p>
        {simulated ? <p className="notice">{t('conversation.simulated')}</p> : null}
        <button type="button" className="button primary" onClick={() => void create()}>
          <PlusIcon />
          {t('projects.new')}
        </button>
        {projects.isError ? <Problem message={projects.error.message} /> : null}
      </div>
    </main>
  );
}
