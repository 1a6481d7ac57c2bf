import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import { branchView, noticeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches } from './parts.ts';

export function branchHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.listBranches, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [branches, about] = await Promise.all([store.listBranches(id), aboutBranches(store, id)]);
    return context.json({ branches: branches.map((branch) => branchView(branch, about)) }, 200);
  });
  app.openapi(routes.createBranch, async (context) => {
    const { fromNodeId, ...input } = context.req.valid('json');
    const id = projectId(context.req.valid('param').id);
    const { branch, notices } = await engine.createBranch(id, {
      ...input,
      fromNodeId: fromNodeId === undefined ? undefined : nodeId(fromNodeId),
    });
    const view = branchView(branch, await aboutBranches(store, id));
    return context.json({ branch: view, notices: notices.map(noticeView) }, 201);
  });
  app.openapi(routes.updateBranch, async (context) => {
    const { id: project, name: ref } = context.req.valid('param');
    const id = projectId(project);
    const { tipId, summaries, ...change } = context.req.valid('json');
    const { branch, notices } = await engine.changeBranch(id, ref, {
      ...change,
      tipId: tipId === undefined ? undefined : nodeId(tipId),
      summaries: summaries?.map(nodeId),
    });
    const view = branchView(branch, await aboutBranches(store, id));
    return context.json(
      notices.length === 0 ? { branch: view } : { branch: view, notices: notices.map(noticeView) },
      200,
    );
  });
  app.openapi(routes.deleteBranch, async (context) => {
    const { id: project, name } = context.req.valid('param');
    return context.json({ trashId: await engine.deleteBranch(projectId(project), name) }, 200);
  });
}
