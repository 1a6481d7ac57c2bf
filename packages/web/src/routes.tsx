import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { App } from './app.tsx';
import { Home } from './pages/home.tsx';
import { Workspace } from './pages/workspace.tsx';

/** Where a reader is: everything that a link can name. */
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
  component: lazyRouteComponent(() => import('./pages/compare.tsx'), 'Compare'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'Settings'),
});
const diagnostics = createRoute({
  getParentRoute: () => root,
  path: '/diagnostics',
  component: lazyRouteComponent(() => import('./pages/diagnostics.tsx'), 'Diagnostics'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, projectRoute, branchRoute, compareRoute, settings, diagnostics]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
