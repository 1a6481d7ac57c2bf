import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useT } from '../../i18n/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Rename } from '../../parts/rename.tsx';
import { deleteProjects } from '../../session/change-projects.ts';
import { client } from '../../session/client.ts';
import type { Here } from '../../session/here.ts';
import { projectQuery, readAgain, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { offerUndo } from '../../session/trash.ts';

export type HereChange = 'rename-branch' | 'rename-project' | 'delete-branch' | 'delete-project';

interface ChangeHereProps {
  readonly here: Here;
  readonly change: HereChange;
  readonly onClose: () => void;
}

/** The question that a command about the open project or branch asks. */
export function ChangeHere({ here: { projectId, branch }, change, onClose }: ChangeHereProps) {
  const t = useT();
  const navigate = useNavigate();
  const project = useQuery(projectQuery(projectId)).data?.project;
  if (project === undefined || branch === null) return null;
  const renameBranch = (name: string) =>
    attempt(async () => {
      await client.updateBranch(projectId, branch.id, { name });
      await refreshProject(projectId);
    });
  const renameProject = (name: string) =>
    attempt(async () => {
      await client.updateProject(projectId, { name });
      await Promise.all([refreshProject(projectId), readAgain(['projects'])]);
    });
  const deleteBranch = () =>
    attempt(async () => {
      const { trashId } = await client.deleteBranch(projectId, branch.name);
      offerUndo({ trashId, kind: 'branch', name: branch.name });
      await navigate({ to: '/p/$projectId', params: { projectId } });
      await refreshProject(projectId);
    });
  const deleteProject = () =>
    attempt(async () => {
      await deleteProjects([projectId], project.name);
      await navigate({ to: '/' });
      await readAgain(['projects']);
    });
  switch (change) {
    case 'rename-branch':
      return (
        <Rename
          open
          title={t('branches.rename')}
          name={branch.name}
          onRename={(name) => void renameBranch(name)}
          onClose={onClose}
        />
      );
    case 'rename-project':
      return (
        <Rename
          open
          title={t('palette.renameProject')}
          name={project.name}
          onRename={(name) => void renameProject(name)}
          onClose={onClose}
        />
      );
    case 'delete-branch':
      return (
        <Confirm
          open
          title={t('branches.delete')}
          question={t('branches.delete.sure', { name: branch.name })}
          confirm={t('branches.delete')}
          onConfirm={() => void deleteBranch()}
          onClose={onClose}
        />
      );
    case 'delete-project':
      return (
        <Confirm
          open
          title={t('projects.delete')}
          question={t('projects.delete.sure', { name: project.name })}
          confirm={t('projects.delete')}
          onConfirm={() => void deleteProject()}
          onClose={onClose}
        />
      );
  }
}
