import { routes } from '@bough/api';
import type { ProjectId, TurnId } from '@bough/core';
import { nodeId, projectId, turnId } from '@bough/core';
import { ndjsonBody } from '../stream/ndjson.ts';
import { watchChanges } from '../stream/changes.ts';
import { toProblem } from '../problem.ts';
import { watchNews } from '../stream/news.ts';
import { checkFiles } from '../uploads/index.ts';
import { noticeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

export function turnHandlers(app: App, { engine, store }: Parts): void {
  const streamOf = (project: ProjectId, turn: TurnId, after: number): ReadableStream<Uint8Array> => {
    const abort = new AbortController();
    return ndjsonBody(engine.watch(project, turn, after, abort.signal), abort);
  };

  app.openapi(routes.chat, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { llmProvider, llmModel, ...request } = context.req.valid('json');
    await checkFiles(store.blobs, request.message);
    const { turn } = await engine.chat(project, { ...request, provider: llmProvider, model: llmModel });
    return context.body(streamOf(project, turn.id, 0), 200, NDJSON);
  });
  app.openapi(routes.edit, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { llmProvider, llmModel, nodeId: node, ...request } = context.req.valid('json');
    await checkFiles(store.blobs, request.content, async () => {
      const [edited] = await store.getNodes(project, [nodeId(node)]);
      return edited?.contentBlocks ?? [];
    });
    const { turn } = await engine.edit(project, {
      ...request,
      nodeId: nodeId(node),
      provider: llmProvider,
      model: llmModel,
    });
    return context.body(streamOf(project, turn.id, 0), 200, NDJSON);
  });
  app.openapi(routes.continueTurn, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { turn } = await engine.continueTurn(project, context.req.valid('json'));
    return context.body(streamOf(project, turn.id, 0), 200, NDJSON);
  });
  app.openapi(routes.regenerate, async (context) => {
    const project = projectId(context.req.valid('param').id);
    const { llmProvider, llmModel, nodeId: node, ...request } = context.req.valid('json');
    const { started, refused } = await engine.regenerate(project, {
      ...request,
      nodeId: node === undefined ? undefined : nodeId(node),
      provider: llmProvider,
      model: llmModel,
    });
    const turns = started.map(({ turn, branch }) => ({ turnId: turn.id, branch: branch.name }));
    // Siblings share their model: what is not known about it is said once.
    const notices = started.find((each) => each.notices !== undefined)?.notices ?? [];
    const answer = { turns, notices: notices.map(noticeView) };
    if (refused === null) return context.json(answer, 202);
    const { code, detail } = toProblem(refused.error, '');
    return context.json({ ...answer, refused: { count: refused.count, code, detail } }, 202);
  });
  app.openapi(routes.interrupt, async (context) => {
    const { turnId: turn, ref, answering } = context.req.valid('json');
    const turnIds = await engine.interrupt(projectId(context.req.valid('param').id), {
      turnId: turn === undefined ? undefined : turnId(turn),
      ref,
      answering: answering === undefined ? undefined : nodeId(answering),
    });
    return context.json({ turnId: turnIds[0], turnIds: [...turnIds] }, 202);
  });
  app.openapi(routes.approve, async (context) => {
    const { turnId: turn, ...answer } = context.req.valid('json');
    await engine.approve(projectId(context.req.valid('param').id), { turnId: turnId(turn), ...answer });
    return context.json({ turnId: turn }, 202);
  });
  app.openapi(routes.turnStream, async (context) => {
    const { id, turnId: turn } = context.req.valid('param');
    await store.getTurn(projectId(id), turnId(turn));
    return context.body(streamOf(projectId(id), turnId(turn), context.req.valid('query').after ?? 0), 200, NDJSON);
  });
  app.openapi(routes.watch, async (context) => {
    const { project } = context.req.valid('query');
    const shown = project === undefined ? null : projectId(project);
    if (shown !== null) await store.getProject(shown);
    const abort = new AbortController();
    return context.body(ndjsonBody(watchNews(store, shown, abort.signal), abort), 200, NDJSON);
  });
  app.openapi(routes.watchProject, async (context) => {
    const project = projectId(context.req.valid('param').id);
    await store.getProject(project);
    const abort = new AbortController();
    return context.body(ndjsonBody(watchChanges(store, project, abort.signal), abort), 200, NDJSON);
  });
}

const NDJSON = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-store',
  // Buffering proxies would hold back lines.
  'x-accel-buffering': 'no',
};
