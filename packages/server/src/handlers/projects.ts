import { routes } from '@bough/api';
import { projectId } from '@bough/core';
import { branchView, noticeView, projectView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { runningTurns } from './parts.ts';

export function projectHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.listProjects, async (context) => {
    const { limit = Number.MAX_SAFE_INTEGER, offset = 0, search, archived } = context.req.valid('query');
    const { projects, total } = await store.findProjects({
      limit,
      offset,
      ...(search === undefined ? {} : { name: search.trim() }),
      ...(archived === undefined ? {} : { archived: archived === 'true' }),
    });
    return context.json({ projects: projects.map(projectView), total }, 200);
  });
  app.openapi(routes.createProject, async (context) => {
    const { project, branch, notices } = await engine.createProject(context.req.valid('json'));
    return context.json(
      { project: projectView(project), branch: branchView(branch, new Map()), notices: notices.map(noticeView) },
      201,
    );
  });
  app.openapi(routes.getProject, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [project, branches, running] = await Promise.all([
      store.getProject(id),
      store.listBranches(id),
      runningTurns(store, id),
    ]);
    return context.json(
      { project: projectView(project), branches: branches.map((branch) => branchView(branch, running)) },
      200,
    );
  });
  app.openapi(routes.updateProject, async (context) => {
    const project = await engine.changeProject(projectId(context.req.valid('param').id), context.req.valid('json'));
    return context.json({ project: projectView(project) }, 200);
  });
  app.openapi(routes.deleteProject, async (context) => {
    const trashId = await engine.deleteProject(projectId(context.req.valid('param').id));
    return context.json({ trashId }, 200);
  });
}
