import { routes, type SearchView } from '@bough/api';
import type { Branch, Project, ProjectId } from '@bough/core';
import { parseSearch, projectId, UnknownIdError, withFilters } from '@bough/core';
import type { SearchHit, Store } from '@bough/store';
import type { App, Parts } from './parts.ts';

const DEFAULT_PAGE = 20;

export function searchHandlers(app: App, { store }: Parts): void {
  app.openapi(routes.search, async (context) => {
    const { q = '', project, branch, role, model, from, to, has, limit, cursor } = context.req.valid('query');
    const query = withFilters(parseSearch(q), { branch, role, model, after: from, before: to, has });
    const page = await store.search({
      query,
      limit: limit ?? DEFAULT_PAGE,
      ...(project !== undefined && { projects: [projectId(project)] }),
      ...(cursor !== undefined && { cursor }),
    });
    return context.json({ ...page, hits: await hitViews(store, page.hits) }, 200);
  });
}

interface Named {
  readonly project: Project;
  readonly branches: readonly Branch[];
}

/** With the names that people know things by. What was deleted since it was found is left out. */
async function hitViews(store: Store, hits: readonly SearchHit[]): Promise<SearchView['hits']> {
  const ids = [...new Set(hits.map(({ projectId: id }) => id))];
  const named = new Map(await Promise.all(ids.map(async (id) => [id, await namedOf(store, id)] as const)));
  return hits.flatMap((hit): SearchView['hits'] => {
    const there = named.get(hit.projectId);
    if (there == null) return [];
    const branch = there.branches.find(({ id }) => id === hit.branchId);
    return [
      {
        ...hit,
        projectName: there.project.name,
        archived: there.project.archived,
        branchId: branch?.id ?? null,
        branchName: branch?.name ?? null,
        hidden: branch?.hidden ?? false,
        matches: hit.matches.map(({ snippet, ...match }) => ({ ...match, snippet: [...snippet] })),
      },
    ];
  });
}

async function namedOf(store: Store, id: ProjectId): Promise<Named | null> {
  try {
    const [project, branches] = await Promise.all([store.getProject(id), store.listBranches(id)]);
    return { project, branches };
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}
