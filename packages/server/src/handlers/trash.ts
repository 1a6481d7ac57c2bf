import type { DeletionView, TrashEntryView } from '@bough/api';
import { routes } from '@bough/api';
import { nodeId, projectId, turnId } from '@bough/core';
import type { Deletion } from '@bough/engine';
import type { TrashEntry } from '@bough/store';
import { TRASH_DAYS } from '@bough/store';
import type { App, Parts } from './parts.ts';

export function trashHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.nodeDeletion, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    const { mode = 'cascade' } = context.req.valid('query');
    return context.json(deletionView(await engine.nodeDeletion(projectId(id), nodeId(node), mode)), 200);
  });
  app.openapi(routes.turnDeletion, async (context) => {
    const { id, turnId: turn } = context.req.valid('param');
    const { mode = 'reparent' } = context.req.valid('query');
    return context.json(deletionView(await engine.turnDeletion(projectId(id), turnId(turn), mode)), 200);
  });
  app.openapi(routes.branchDeletion, async (context) => {
    const { id, name } = context.req.valid('param');
    return context.json(deletionView(await engine.branchDeletion(projectId(id), name)), 200);
  });

  app.openapi(routes.listTrash, async (context) => {
    const entries = await store.listTrash(ofProject(context.req.valid('query').project));
    return context.json({ entries: entries.map(entryView) }, 200);
  });
  app.openapi(routes.restoreTrash, async (context) => {
    const entry = await engine.restoreTrash(context.req.valid('param').trashId);
    return context.json({ entry: entryView(entry) }, 200);
  });
  app.openapi(routes.purgeTrash, async (context) => {
    await engine.purgeTrash({ id: context.req.valid('param').trashId });
    return context.body(null, 204);
  });
  app.openapi(routes.emptyTrash, async (context) => {
    const purged = await engine.purgeTrash(ofProject(context.req.valid('query').project));
    return context.json({ purged: purged.length }, 200);
  });
}

const ofProject = (project: string | undefined) => (project === undefined ? {} : { projectId: projectId(project) });

const deletionView = ({ branches, ...counts }: Deletion): DeletionView => ({
  ...counts,
  branches: branches.map((branch) => ({ ...branch })),
});

const DAY_MS = 24 * 60 * 60 * 1000;

function entryView({ branches, ...entry }: TrashEntry): TrashEntryView {
  const purgedAt = new Date(Date.parse(entry.deletedAt) + TRASH_DAYS * DAY_MS).toISOString();
  return { ...entry, purgedAt, branches: branches.map((branch) => ({ ...branch })) };
}
