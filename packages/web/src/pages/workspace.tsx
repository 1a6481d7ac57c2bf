import { ApiError } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useT } from '../i18n/index.ts';
import { Composer } from '../panels/composer/index.tsx';
import { Conversation } from '../panels/conversation/index.tsx';
import { ModelNotices } from '../panels/model-notices/index.tsx';
import { PanelRightIcon } from '../parts/icons.tsx';
import { Problem } from '../parts/problem.tsx';
import { Resizer } from '../parts/resizer.tsx';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { PanelSkeleton, Skeleton } from '../parts/skeleton.tsx';
import { Stale } from '../parts/stale.tsx';
import { useTitle } from '../parts/title.ts';
import { IconButton } from '../parts/tooltip.tsx';
import { setPreferences, usePreferences } from '../session/preferences.ts';
import { projectQuery, providersQuery } from '../session/queries.ts';
import { branchLeadingTo } from '../session/find-node.ts';
import { useVisit } from '../session/news.ts';
import { branchColour } from '../view/colour.ts';
import { lastUsed } from '../view/last-used.ts';

const Graph = lazy(() => import('../panels/graph/index.tsx').then(({ GraphPanel }) => ({ default: GraphPanel })));
const Context = lazy(() =>
  import('../panels/context/index.tsx').then(({ ContextPanel }) => ({ default: ContextPanel })),
);
const Details = lazy(() =>
  import('../panels/details/index.tsx').then(({ DetailsPanel }) => ({ default: DetailsPanel })),
);

/** One branch of one project: the conversation in the middle, details about it on the right. */
export function Workspace() {
  const t = useT();
  const { projectId = '', branch: name } = useParams({ strict: false });
  const { node } = useSearch({ strict: false });
  const { panelOpen, panelWidth, panel } = usePreferences();
  const project = useQuery(projectQuery(projectId));
  useTitle(...[name, project.data?.project.name ?? t('projects.title')].filter((part) => part !== undefined));
  // A branch that is renamed, here or elsewhere, is still the one being read.
  const [shownId, setShownId] = useState<string | null>(null);
  const navigate = useNavigate();
  const goWhereItIs = useCallback(
    async (nodeId: string): Promise<boolean> => {
      const there = await branchLeadingTo(projectId, nodeId).catch(() => null);
      if (there === null) return false;
      const place = { projectId, branch: there };
      await navigate({ to: '/p/$projectId/b/$branch', params: place, search: { node: nodeId }, replace: true });
      return true;
    },
    [projectId, navigate],
  );
  const onElsewhere = useCallback((nodeId: string) => void goWhereItIs(nodeId), [goWhereItIs]);

  useVisit(project.data?.branches.filter((each) => each.name === name).map(({ id }) => id) ?? []);

  if (project.data === undefined)
    return project.isError ? (
      <Nothing message={isMissing(project.error) ? t('error.project') : project.error.message} />
    ) : (
      <Coming failures={project.failureCount} />
    );
  const { branches } = project.data;
  const named = branches.find((each) => each.name === name);
  const branch = named ?? branches.find((each) => each.id === shownId);
  if (branch !== undefined && branch.id !== shownId) setShownId(branch.id);
  if (branch === undefined) {
    const first = lastUsed(branches);
    if (name === undefined && first !== undefined)
      return <Navigate to="/p/$projectId/b/$branch" params={{ projectId, branch: first.name }} replace />;
    const nothing = <Nothing message={t('error.branch', { name: name ?? '' })} />;
    return node === undefined ? nothing : <Search key={node} look={() => goWhereItIs(node)} otherwise={nothing} />;
  }
  const colour = branchColour(branch.color, branches.indexOf(branch));
  return (
    <div className="workspace" style={{ ['--panel-width' as string]: `${panelWidth}px` }}>
      <main className="main" id="conversation" aria-label={t('conversation.label')}>
        <div className="topbar">
          <SidebarToggle />
          <h1>
            <span className="project-name">{project.data.project.name}</span>{' '}
            <span className="branch-tag">
              <span className="dot" style={{ background: colour }} />
              <span className="branch-name">{branch.name}</span>
            </span>
          </h1>
          <Lock provider={branch.provider} model={branch.model} />
          <IconButton
            label={t('panel.toggle')}
            pressed={panelOpen}
            onClick={() => setPreferences({ panelOpen: !panelOpen })}
          >
            <PanelRightIcon />
          </IconButton>
        </div>
        <Stale projectId={projectId} />
        {named === undefined ? (
          <Navigate to="/p/$projectId/b/$branch" params={{ projectId, branch: branch.name }} search={true} replace />
        ) : null}
        <Conversation
          key={branch.id}
          projectId={projectId}
          branch={branch}
          focusNode={node ?? null}
          onElsewhere={onElsewhere}
        />
        <ModelNotices projectId={projectId} branch={branch} />
        <Composer key={`composer ${branch.id}`} projectId={projectId} branch={branch} />
      </main>
      {panelOpen ? (
        <aside className="side" aria-label={t(`panel.${panel}`)}>
          <Resizer
            side="right"
            width={panelWidth}
            onResize={(width) => setPreferences({ panelWidth: width })}
            label={t('panel.width')}
          />
          <Tabs.Root
            value={panel}
            onValueChange={(next) => {
              if (next === 'graph' || next === 'context' || next === 'details') setPreferences({ panel: next });
            }}
            style={{ display: 'contents' }}
          >
            <Tabs.List className="side-tabs">
              <Tabs.Trigger className="side-tab" value="graph">
                {t('panel.graph')}
              </Tabs.Trigger>
              <Tabs.Trigger className="side-tab" value="context">
                {t('panel.context')}
              </Tabs.Trigger>
              <Tabs.Trigger className="side-tab" value="details">
                {t('panel.details')}
              </Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content className="side-body" value="graph">
              <Suspense fallback={<PanelSkeleton shape="graph" />}>
                <Graph projectId={projectId} branch={branch} />
              </Suspense>
            </Tabs.Content>
            <Tabs.Content className="side-body" value="context">
              <Suspense fallback={<PanelSkeleton shape="context" />}>
                <Context projectId={projectId} branch={branch} />
              </Suspense>
            </Tabs.Content>
            <Tabs.Content className="side-body" value="details">
              <Suspense fallback={<PanelSkeleton shape="facts" />}>
                <Details projectId={projectId} branch={branch} nodeId={node ?? null} />
              </Suspense>
            </Tabs.Content>
          </Tabs.Root>
          <button
            type="button"
            className="scrim"
            aria-label={t('dialog.close')}
            onClick={() => setPreferences({ panelOpen: false })}
          />
        </aside>
      ) : null}
    </div>
  );
}

/** Looks for a message whose branch is gone: another one may lead to it. */
function Search({ look, otherwise }: { readonly look: () => Promise<boolean>; readonly otherwise: ReactNode }) {
  const [isLost, setIsLost] = useState(false);
  const [search] = useState(() => look);
  useEffect(() => {
    const run = async (): Promise<void> => setIsLost(!(await search()));
    void run();
  }, [search]);
  return isLost ? otherwise : <Coming failures={0} />;
}

function Coming({ failures }: { readonly failures: number }) {
  const t = useT();
  return (
    <main className="main" id="conversation" aria-busy="true">
      <div className="topbar">
        <SidebarToggle />
        <h1 className="visually-hidden">{t('conversation.label')}</h1>
      </div>
      <Skeleton failures={failures} />
    </main>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** What the branch is locked to, to be read at any time; it is changed by switching to another branch. */
function Lock({ provider, model }: { readonly provider: string; readonly model: string }) {
  const t = useT();
  const providers = useQuery(providersQuery);
  const label = providers.data?.providers.find(({ id }) => id === provider)?.label ?? provider;
  const text = `${label} · ${model}`;
  return (
    <span className="lock-tag" title={t('composer.locked', { model: text })}>
      {text}
    </span>
  );
}

function Nothing({ message }: { readonly message: string }) {
  const t = useT();
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <SidebarToggle />
        <h1>{t('conversation.label')}</h1>
      </div>
      <div className="welcome">
        <Problem message={message} />
        <Link to="/" className="button">
          {t('palette.home')}
        </Link>
      </div>
    </main>
  );
}
