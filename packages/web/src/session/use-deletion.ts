import type { BranchView } from '@bough/api/client';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lastUsed } from '../view/last-used.ts';
import { deleteProjects } from './change-projects.ts';
import { client } from './client.ts';
import { queryClient, refreshProject } from './queries.ts';
import { offerUndo } from './trash.ts';

/** Puts a project, or one of its branches, into the trash. Only whoever is reading what is deleted is led away. */
export function useDeletion(projectId: string) {
  const router = useRouter();
  const navigate = useNavigate();
  /** What the address names. Looked up when it matters: there may be hundreds of rows, all with this. */
  const read = (): Readonly<Record<string, string | undefined>> => router.state.matches.at(-1)?.params ?? {};
  const deleteBranch = async (branch: BranchView, branches: readonly BranchView[]): Promise<void> => {
    const goTo = ({ name }: BranchView): Promise<void> =>
      navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch: name } });
    const { projectId: shown, ...names } = read();
    const isRead = shown === projectId && Object.values(names).includes(branch.name);
    const next = isRead ? lastUsed(branches.filter(({ id }) => id !== branch.id)) : undefined;
    // First: what is gone would be read once more, and found missing.
    if (next !== undefined) await goTo(next);
    try {
      const { trashId } = await client.deleteBranch(projectId, branch.name);
      offerUndo({ trashId, kind: 'branch', name: branch.name });
    } catch (error) {
      if (next !== undefined) await goTo(branch);
      throw error;
    }
    await refreshProject(projectId);
  };
  const deleteProject = async (name: string): Promise<void> => {
    await deleteProjects([projectId], name);
    if (read()['projectId'] === projectId) await navigate({ to: '/' });
    await queryClient.invalidateQueries();
  };
  return { deleteBranch, deleteProject };
}
