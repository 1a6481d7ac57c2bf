import type { ProjectId } from '@bough/core';
import type { TrashEntry, TrashQuery, TrashTicket } from '@bough/store';
import { HOLD_HOURS, TRASH_DAYS } from '@bough/store';
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

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Deletes for good what the query finds, with the files that only it referred to. */
export async function purgeTrash(env: Environment, query: TrashQuery): Promise<readonly TrashEntry[]> {
  const purged = await env.store.purgeTrash(query);
  // It is purged, whatever comes of this; the next round sweeps again.
  await sweepFiles(env).catch((error: unknown) => tell(env, error));
  return purged;
}

/** Removes the files that nothing refers to, unless they were uploaded lately: their messages may be on their way. */
export async function sweepFiles(env: Environment): Promise<void> {
  const putBefore = new Date(env.now().getTime() - HOLD_HOURS * HOUR_MS).toISOString();
  await env.store.blobs.sweep({ putBefore });
}

/** Deletes for good what has been in the trash for thirty days. */
export async function purgeOld(env: Environment): Promise<void> {
  const deletedBefore = new Date(env.now().getTime() - TRASH_DAYS * DAY_MS).toISOString();
  await env.store.purgeTrash({ deletedBefore });
}

function tell(env: Environment, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  env.observe({ type: 'problem', what: 'trash', message });
}

/** How often old entries are looked for. */
const ROUND_MS = 6 * 60 * 60 * 1000;

/** A start does not look at files, however many there are. */
const FIRST_SWEEP_MS = 60 * 1000;

/** Purges and sweeps now and then; a failure is told, and the next round tries again. Returns how to stop. */
export function keepTrashShort(env: Environment): () => Promise<void> {
  const round = async (...works: readonly ((on: Environment) => Promise<void>)[]): Promise<void> => {
    try {
      for (const work of works) await work(env);
    } catch (error) {
      tell(env, error);
    }
  };
  let last = round(purgeOld);
  const first = setTimeout(() => {
    last = last.then(() => round(sweepFiles));
  }, FIRST_SWEEP_MS);
  const timer = setInterval(() => {
    last = last.then(() => round(purgeOld, sweepFiles));
  }, ROUND_MS);
  first.unref();
  timer.unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    await last;
  };
}
