import { routes, schemas } from '@bough/api';
import { nodeId, projectId, turnId } from '@bough/core';
import { HttpProblem } from '../problem.ts';
import { outlineOf } from '../outline/index.ts';
import { checkFiles } from '../uploads/index.ts';
import { contextReport, contextView, graphView, historyView, nodeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';
import { aboutBranches } from './parts.ts';

const DEFAULT_PAGE = 30;
/** What a page can draw at once, with room to look around. */
const OUTLINE_NODES = 2_000;
const FOUND_NODES = 10;

export function conversationHandlers(app: App, { engine, store, providers }: Parts): void {
  app.openapi(routes.history, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const { ref, before, after, around, limit } = context.req.valid('query');
    const node = (given: string | undefined) => (given === undefined ? undefined : nodeId(given));
    const [history, about] = await Promise.all([
      engine.history(id, {
        ref,
        limit: limit ?? DEFAULT_PAGE,
        before: node(before),
        after: after === id ? null : node(after),
        around: node(around),
      }),
      aboutBranches(store, id),
    ]);
    return context.json(historyView(history, about, providers.priceOf), 200);
  });
  app.openapi(routes.graph, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const [graph, about] = await Promise.all([store.graph(id), aboutBranches(store, id)]);
    const { after, count = 0, limit, ref, open = '' } = context.req.valid('query');
    // Nodes come in order of creation. If the last one that the client has is still in its place, none before it was
    // removed, and stored nodes do not change: the client needs only what follows.
    const skipped = after !== undefined && graph.nodes[count - 1]?.id === after ? count : 0;
    const most = limit ?? schemas.LIMITS.graphNodes;
    const isPart = limit !== undefined || graph.nodes.length - skipped <= most;
    if (isPart) return context.json(graphView(graph, about, graph.nodes.slice(skipped, skipped + most), skipped), 200);
    const branch = ref === undefined ? undefined : graph.branches.find((each) => each.id === ref || each.name === ref);
    const tip = branch?.tipId ?? null;
    const opened = open.split(',', schemas.LIMITS.openNodes).flatMap((each) => (each === '' ? [] : [nodeId(each)]));
    const outline = outlineOf(graph, { limit: OUTLINE_NODES, tip, open: opened });
    return context.json(graphView(graph, about, outline, 0), 200);
  });
  app.openapi(routes.findNodes, async (context) => {
    const { nodes } = await store.graph(projectId(context.req.valid('param').id));
    const start = context.req.valid('query').id;
    const ids = nodes.filter(({ id }) => id.startsWith(start)).map(({ id }) => id);
    return context.json({ ids: ids.slice(0, FOUND_NODES) }, 200);
  });
  app.openapi(routes.context, async (context) => {
    const request = context.req.valid('json');
    await checkFiles(store.blobs, request.message);
    const preview = await engine.previewContext(projectId(context.req.valid('param').id), request);
    return context.json(await contextView(preview), 200);
  });
  app.openapi(routes.contextReport, async (context) => {
    const { from, to, ...request } = context.req.valid('json');
    await checkFiles(store.blobs, request.message);
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
    const { includeInContext, ref } = context.req.valid('json');
    const result = await engine.setIncludeThinking(projectId(id), nodeId(node), includeInContext, ref);
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
