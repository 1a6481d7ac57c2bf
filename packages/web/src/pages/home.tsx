import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/index.ts';
import { PlusIcon } from '../parts/icons.tsx';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { Problem } from '../parts/problem.tsx';
import { useTitle } from '../parts/title.ts';
import { useCreateProject } from '../session/create-project.ts';
import { projectsQuery, providersQuery } from '../session/queries.ts';

/** The first page: a way in, and which model answers while no key is set. */
export function Home() {
  const t = useT();
  useTitle();
  const projects = useQuery(projectsQuery());
  const providers = useQuery(providersQuery);
  const simulated = providers.data?.defaults.provider.startsWith('simulated') === true;
  const create = useCreateProject();
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <SidebarToggle />
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
