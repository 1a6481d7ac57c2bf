import { routes } from '@bough/api';
import { projectId } from '@bough/core';
import { branchView, noticeView, projectDetails, projectView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches, NEW_BRANCH } from './parts.ts';

/** Nobody gets all of a hundred thousand projects without asking for them. */
const DEFAULT_PAGE = 100;

export function projectHandlers(app: App, { engine, store, modes }: Parts): void {
  app.openapi(routes.listProjects, async (context) => {
    const query = context.req.valid('query');
    const { limit = DEFAULT_PAGE, offset = 0, search, id, archived, pinned, folder } = query;
    const { projects, total, folders } = await store.findProjects({
      limit,
      offset,
      ...(search === undefined ? {} : { name: search.trim() }),
      ...(id === undefined ? {} : { id }),
      ...(archived === undefined ? {} : { archived: archived === 'true' }),
      ...(pinned === undefined ? {} : { pinned: pinned === 'true' }),
      ...(folder === undefined ? {} : { folder: folder === '' ? null : folder }),
    });
    const listed = projects.map((project) => ({
      ...projectView(project),
      lastUsedAt: project.lastUsedAt,
      recorded: project.recorded,
    }));
    return context.json({ projects: listed, total, folders: folders.map((each) => ({ ...each })) }, 200);
  });
  app.openapi(routes.createProject, async (context) => {
    const { project, branch, notices } = await engine.createProject(context.req.valid('json'));
    return context.json(
      { project: projectView(project), branch: branchView(branch, NEW_BRANCH), notices: notices.map(noticeView) },
      201,
    );
  });
  app.openapi(routes.getProject, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [project, branches, about] = await Promise.all([
      store.getProject(id),
      store.listBranches(id),
      aboutBranches(store, id),
    ]);
    return context.json(
      { project: projectDetails(project, modes), branches: branches.map((branch) => branchView(branch, about)) },
      200,
    );
  });
  app.openapi(routes.updateProject, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const { gatewayMode, ...patch } = context.req.valid('json');
    const project = await engine.changeProject(id, patch);
    if (gatewayMode !== undefined) await modes.choose(id, gatewayMode);
    return context.json({ project: projectDetails(project, modes) }, 200);
  });
  app.openapi(routes.deleteProject, async (context) => {
    const trashId = await engine.deleteProject(projectId(context.req.valid('param').id));
    return context.json({ trashId }, 200);
  });
}
