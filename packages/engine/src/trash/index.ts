import type { ProjectId } from '@bough/core';
import type { TrashEntry, TrashTicket } from '@bough/store';
import { TRASH_DAYS } from '@bough/store';
import type { Environment } from '../environment.ts';

export type { Deletion } from './deletion.ts';
export { branchDeletion, nodeDeletion, turnDeletion } from './deletion.ts';

/** What is deleted now is filed under this. */
export function newTicket(env: Environment): TrashTicket {
  return { id: env.ids.trash(), deletedAt: env.now().toISOString() };
}

/** Deletes a project; it can be restored from the trash. */
export async function deleteProject(env: Environment, project: ProjectId): Promise<string> {
  const ticket = newTicket(env);
  await env.store.deleteProject(project, ticket);
  return ticket.id;
}

export async function restoreTrash(env: Environment, id: string): Promise<TrashEntry> {
  const entry = await env.store.restoreTrash(id);
  await env.store.publish({ type: 'changed', projectId: entry.projectId });
  return entry;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes for good what has been in the trash for thirty days. */
export async function purgeOld(env: Environment): Promise<void> {
  const deletedBefore = new Date(env.now().getTime() - TRASH_DAYS * DAY_MS).toISOString();
  await env.store.purgeTrash({ deletedBefore });
}

/** How often old entries are looked for. */
const ROUND_MS = 6 * 60 * 60 * 1000;

/** Purges now and then; a failure is told, and the next round tries again. Returns how to stop. */
export function keepTrashShort(env: Environment): () => Promise<void> {
  const round = async (): Promise<void> => {
    try {
      await purgeOld(env);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      env.observe({ type: 'problem', what: 'trash', message });
    }
  };
  let last = round();
  const timer = setInterval(() => {
    last = last.then(round);
  }, ROUND_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
  };
}
