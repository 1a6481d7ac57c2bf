import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import { branchView, nodeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches } from './parts.ts';

export function mergeHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.mergePreview, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { source, target, messages, ...preview } = await engine.previewMerge(project, context.req.valid('json'));
    const named = ({ id, name }: typeof source) => ({ id, name });
    return context.json(
      {
        ...preview,
        source: named(source),
        target: named(target),
        messages: messages.map(({ node, tokens }) => ({ node: nodeView(node), tokens })),
      },
      200,
    );
  });
  app.openapi(routes.merge, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { nodeIds, ...request } = context.req.valid('json');
    // Whoever hangs up does not want it any more: a summary that nobody waits for would be paid for, and brought.
    const cancelled = context.req.raw.signal;
    const asked = { ...request, nodeIds: nodeIds?.map(nodeId) };
    const { node, branch, call } = await engine.merge(project, asked, cancelled);
    const view = branchView(branch, await aboutBranches(store, project));
    return context.json({ node: nodeView(node), branch: view, cost: call?.cost ?? null }, 201);
  });
  app.openapi(routes.readMerge, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    const { merge, messages, diff, ...read } = await engine.readMerge(projectId(id), nodeId(node));
    const { type: _, nodeIds, ...block } = merge;
    return context.json(
      {
        ...block,
        ...read,
        nodeIds: [...nodeIds],
        messages: messages === null ? null : messages.map((message) => nodeView(message)),
        diff: { ...diff, lines: [...diff.lines] },
      },
      200,
    );
  });
}
