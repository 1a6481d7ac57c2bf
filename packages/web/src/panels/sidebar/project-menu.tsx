import type { ProjectView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import { useT } from '../../i18n/index.ts';
import { ArchiveIcon } from '../../parts/icons.tsx';
import { client } from '../../session/client.ts';
import { queryClient } from '../../session/queries.ts';
import { offerUndo } from '../../session/trash.ts';
import { RowMenu } from './row-menu.tsx';

export function ProjectMenu({ project }: { readonly project: ProjectView }) {
  const t = useT();
  const navigate = useNavigate();
  const update = async (change: Parameters<typeof client.updateProject>[1]): Promise<void> => {
    await client.updateProject(project.id, change);
    await queryClient.invalidateQueries();
  };
  const remove = async (): Promise<void> => {
    const { trashId } = await client.deleteProject(project.id);
    offerUndo({ trashId, kind: 'project', name: project.name });
    await navigate({ to: '/' });
    await queryClient.invalidateQueries();
  };
  return (
    <RowMenu
      name={project.name}
      words={{
        rename: t('projects.rename'),
        delete: t('projects.delete'),
        sure: t('projects.delete.sure', { name: project.name }),
      }}
      onRename={(name) => update({ name })}
      onDelete={remove}
    >
      {(act) => (
        <DropdownMenu.Item className="menu-item" onSelect={() => act(() => update({ archived: !project.archived }))}>
          <ArchiveIcon />
          {project.archived ? t('projects.unarchive') : t('projects.archive')}
        </DropdownMenu.Item>
      )}
    </RowMenu>
  );
}
