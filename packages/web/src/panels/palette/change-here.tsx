import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { BranchQuestion } from '../../parts/branch-question.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Rename } from '../../parts/rename.tsx';
import { client } from '../../session/client.ts';
import type { Here } from '../../session/here.ts';
import { projectQuery, readAgain, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { useDeletion } from '../../session/use-deletion.ts';

export type HereChange = 'rename-branch' | 'rename-project' | 'delete-branch' | 'delete-project';

interface ChangeHereProps {
  readonly here: Here;
  readonly change: HereChange;
  readonly onClose: () => void;
}

/** The question that a command about the open project or branch asks. */
export function ChangeHere({ here, change, onClose }: ChangeHereProps) {
  return here.branch === null ? null : <Question here={here} branch={here.branch} change={change} onClose={onClose} />;
}

function Question({
  here: { projectId, branches },
  branch,
  change,
  onClose,
}: ChangeHereProps & { readonly branch: BranchView }) {
  const t = useT();
  const project = useQuery(projectQuery(projectId)).data?.project;
  const { deleteBranch, deleteProject } = useDeletion(projectId);
  if (project === undefined) return null;
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
          question={<BranchQuestion projectId={projectId} branch={branch} />}
          confirm={t('branches.delete')}
          onConfirm={() => void attempt(() => deleteBranch(branch, branches))}
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
          onConfirm={() => void attempt(() => deleteProject(project.name))}
          onClose={onClose}
        />
      );
  }
}
