import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import { branchView, callView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches } from './parts.ts';

export function compactionHandlers(app: App, { engine, store, providers }: Parts): void {
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
    // Whoever hangs up does not want it any more: a summary that nobody waits for would be paid for, and make a branch.
    const cancelled = context.req.raw.signal;
    const { branch, call, ...made } = await engine.compact(project, { ...request, upTo: node(upTo) }, cancelled);
    const view = branchView(branch, await aboutBranches(store, project));
    return context.json({ ...made, branch: view, cost: call?.cost ?? null }, 201);
  });
  app.openapi(routes.summary, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const found = await engine.readSummary(project, context.req.valid('query').ref);
    if (found === null) return context.json({ summary: null }, 200);
    const { calls, ...summary } = found;
    const views = calls.map((call) => callView(call, providers.priceOf));
    return context.json({ summary: { ...summary, calls: views } }, 200);
  });
}
