import type { UpdateProjectInput } from '@bough/api/client';
import { client } from './client.ts';
import { forgetProject } from './news.ts';
import { queryClient } from './queries.ts';
import { offerUndo } from './trash.ts';

/** Changes projects, one after the other; what was changed before a refusal stays changed and is shown. */
export async function changeProjects(ids: Iterable<string>, change: UpdateProjectInput): Promise<void> {
  try {
    for (const id of ids) await client.updateProject(id, change);
  } finally {
    await queryClient.invalidateQueries();
  }
}

/** Puts projects into the trash and offers to take all of them back at once. */
export async function deleteProjects(ids: Iterable<string>, name: string): Promise<void> {
  const deleted: string[] = [];
  try {
    for (const id of ids) {
      deleted.push((await client.deleteProject(id)).trashId);
      forgetProject(id);
    }
  } finally {
    const [trashId, ...more] = deleted;
    if (trashId !== undefined) offerUndo({ trashId, kind: 'project', name, ...(more.length === 0 ? {} : { more }) });
  }
}
