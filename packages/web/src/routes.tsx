import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { App } from './app.tsx';
import { BrokenPage } from './pages/broken-page.tsx';
import { Home } from './pages/home.tsx';
import { lazyPage } from './pages/lazy-page.tsx';
import { NoPage } from './pages/no-page.tsx';
import { Workspace } from './pages/workspace.tsx';

/** Where a reader is: everything that a link can point to. */
export interface PlaceSearch {
  readonly node?: string;
  readonly turn?: string;
}

function readPlace(search: Readonly<Record<string, unknown>>): PlaceSearch {
  const { node, turn } = search;
  return { ...(typeof node === 'string' ? { node } : {}), ...(typeof turn === 'string' ? { turn } : {}) };
}

const root = createRootRoute({ component: App });
const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });
export const projectRoute = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId',
  component: Workspace,
  validateSearch: readPlace,
});
export const branchRoute = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId/b/$branch',
  component: Workspace,
  validateSearch: readPlace,
});
export const compareRoute = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId/compare/$left/$right',
  component: lazyPage('compare.title', async () => (await import('./pages/compare.tsx')).Compare),
});
export const versionsRoute = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId/b/$branch/versions/$nodeId',
  component: lazyPage('versions.title', async () => (await import('./pages/versions.tsx')).VersionsPage),
});
const answers = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId/b/$branch/answers/$nodeId',
  // Whoever asked wants to judge before they see who answered.
  validateSearch: ({ blind }: Readonly<Record<string, unknown>>): { readonly blind?: true } =>
    blind === true ? { blind } : {},
  component: lazyPage('answers.title', async () => (await import('./pages/answers.tsx')).AnswersPage),
});
const canvas = createRoute({
  getParentRoute: () => root,
  path: '/p/$projectId/b/$branch/canvas',
  component: lazyPage('canvas.title', async () => (await import('./pages/canvas.tsx')).CanvasPage),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyPage('settings.title', async () => (await import('./pages/settings.tsx')).Settings),
});
const trash = createRoute({
  getParentRoute: () => root,
  path: '/trash',
  component: lazyPage('trash.title', async () => (await import('./pages/trash.tsx')).Trash),
});
const kept = createRoute({
  getParentRoute: () => root,
  path: '/kept',
  component: lazyPage('kept.title', async () => (await import('./pages/kept.tsx')).KeptPage),
});
/** The branch that a new set is made of, where a link names one: by the ids of both. */
function readSource(search: Readonly<Record<string, unknown>>): {
  readonly project?: string;
  readonly branch?: string;
} {
  const { project, branch } = search;
  return typeof project === 'string' && typeof branch === 'string' ? { project, branch } : {};
}

const questionSets = createRoute({
  getParentRoute: () => root,
  path: '/question-sets',
  component: lazyPage('sets.title', async () => (await import('./pages/question-sets.tsx')).QuestionSetsPage),
  validateSearch: readSource,
});
const questionSet = createRoute({
  getParentRoute: () => root,
  path: '/question-sets/$setId',
  component: lazyPage('sets.title', async () => (await import('./pages/question-sets/set.tsx')).QuestionSetPage),
});
const round = createRoute({
  getParentRoute: () => root,
  path: '/question-sets/$setId/rounds/$roundId',
  component: lazyPage('sets.title', async () => (await import('./pages/question-sets/round.tsx')).RoundPage),
});
const importing = createRoute({
  getParentRoute: () => root,
  path: '/import',
  component: lazyPage('import.title', async () => (await import('./pages/import.tsx')).Import),
});
// Not /gateway: that is where other clients' requests go.
const gateway = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  component: lazyPage('gateway.title', async () => (await import('./pages/gateway.tsx')).Gateway),
});
const diagnostics = createRoute({
  getParentRoute: () => root,
  path: '/diagnostics',
  component: lazyPage('diagnostics.title', async () => (await import('./pages/diagnostics.tsx')).Diagnostics),
});

export const router = createRouter({
  defaultNotFoundComponent: NoPage,
  defaultErrorComponent: BrokenPage,
  routeTree: root.addChildren([
    home,
    projectRoute,
    branchRoute,
    compareRoute,
    versionsRoute,
    answers,
    canvas,
    settings,
    trash,
    kept,
    questionSets,
    questionSet,
    round,
    importing,
    gateway,
    diagnostics,
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
