import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import { branchView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches } from './parts.ts';

export function compactionHandlers(app: App, { engine, store }: Parts): void {
  const node = (given: string | undefined) => (given === undefined ? undefined : nodeId(given));
  app.openapi(routes.compaction, async (context) => {
    const { upTo, ...request } = context.req.valid('json');
    const project = projectId(context.req.valid('param').id);
    const { pinned, lostReasoning, ...preview } = await engine.previewCompaction(project, {
      ...request,
      upTo: node(upTo),
    });
    return context.json({ ...preview, pinned: [...pinned], lostReasoning: [...lostReasoning] }, 200);
  });
  app.openapi(routes.compact, async (context) => {
    const { upTo, ...request } = context.req.valid('json');
    const project = projectId(context.req.valid('param').id);
    const { branch, call, ...made } = await engine.compact(project, { ...request, upTo: node(upTo) });
    const view = branchView(branch, await aboutBranches(store, project));
    return context.json({ ...made, branch: view, cost: call?.cost ?? null }, 201);
  });
  app.openapi(routes.summary, async (context) => {
    const project = projectId(context.req.valid('param').id);
    return context.json({ summary: await engine.readSummary(project, context.req.valid('query').ref) }, 200);
  });
}
