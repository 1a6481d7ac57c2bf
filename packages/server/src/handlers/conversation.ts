import { routes } from '@bough/api';
import { nodeId, projectId, turnId } from '@bough/core';
import { HttpProblem } from '../problem.ts';
import { contextReport, contextView, graphView, historyView, nodeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { runningTurns } from './parts.ts';

const DEFAULT_PAGE = 30;

export function conversationHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.history, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const { ref, before, after, around, limit } = context.req.valid('query');
    const node = (given: string | undefined) => (given === undefined ? undefined : nodeId(given));
    const [history, running] = await Promise.all([
      engine.history(id, {
        ref,
        limit: limit ?? DEFAULT_PAGE,
        before: node(before),
        after: after === id ? null : node(after),
        around: node(around),
      }),
      runningTurns(store, id),
    ]);
    return context.json(historyView(history, running), 200);
  });
  app.openapi(routes.graph, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [graph, running] = await Promise.all([store.graph(id), runningTurns(store, id)]);
    const { after, count = 0 } = context.req.valid('query');
    // Nodes come in order of creation. If the last one that the client has is still in its place, none before it was
    // removed, and stored nodes do not change: the client needs only what follows.
    const skipped = after !== undefined && graph.nodes[count - 1]?.id === after ? count : 0;
    return context.json(graphView(graph, running, skipped), 200);
  });
  app.openapi(routes.search, async (context) => {
    const { q, limit } = context.req.valid('query');
    const nodes = await store.search(projectId(context.req.valid('param').id), q, limit ?? 20);
    const hits = nodes.map(({ id, role, content, createdAt }) => {
      const at = Math.max(0, content.toLowerCase().indexOf(q.toLowerCase()) - 60);
      return { nodeId: id, role, excerpt: content.slice(at, at + 240), createdAt };
    });
    return context.json({ hits }, 200);
  });
  app.openapi(routes.context, async (context) => {
    const preview = await engine.previewContext(projectId(context.req.valid('param').id), context.req.valid('json'));
    return context.json(await contextView(preview), 200);
  });
  app.openapi(routes.contextReport, async (context) => {
    const { from, to, ...request } = context.req.valid('json');
    const preview = await engine.previewContext(projectId(context.req.valid('param').id), request);
    return context.json(contextReport(preview, { from, to }), 200);
  });
  app.openapi(routes.raw, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    await store.getNodes(projectId(id), [nodeId(node)]);
    const raw = await store.getRaw(projectId(id), nodeId(node));
    if (raw === null) throw new HttpProblem(404, 'no_raw', 'No raw response was kept for this node.');
    return context.body(JSON.stringify(raw), 200, { 'content-type': 'application/json' });
  });
  app.openapi(routes.setThinking, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    const { includeInContext } = context.req.valid('json');
    const result = await engine.setIncludeThinking(projectId(id), nodeId(node), includeInContext);
    return context.json({ node: nodeView(result.node), warning: result.warning }, 200);
  });
  app.openapi(routes.deleteNode, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    const { mode = 'cascade' } = context.req.valid('query');
    const { removed, trashId } = await engine.deleteNode(projectId(id), nodeId(node), mode);
    return context.json({ removed: [...removed], trashId }, 200);
  });
  app.openapi(routes.deleteTurn, async (context) => {
    const { id, turnId: turn } = context.req.valid('param');
    const { mode = 'reparent' } = context.req.valid('query');
    const { removed, trashId } = await engine.deleteTurn(projectId(id), turnId(turn), mode);
    return context.json({ removed: [...removed], trashId }, 200);
  });
}
