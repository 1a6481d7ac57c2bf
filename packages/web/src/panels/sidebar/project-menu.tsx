import type { ProjectView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { ArchiveIcon, EditIcon, MoreIcon, TrashIcon } from '../../parts/icons.tsx';
import { Rename } from '../../parts/rename.tsx';
import { client } from '../../session/client.ts';
import { queryClient } from '../../session/queries.ts';

export function ProjectMenu({ project }: { readonly project: ProjectView }) {
  const t = useT();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const update = async (change: Parameters<typeof client.updateProject>[1]): Promise<void> => {
    await client.updateProject(project.id, change);
    await queryClient.invalidateQueries();
  };
  const remove = async (): Promise<void> => {
    await client.deleteProject(project.id);
    await navigate({ to: '/' });
    await queryClient.invalidateQueries();
  };
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="icon-button row-menu" aria-label={`${t('reply.more')}: ${project.name}`}>
          <MoreIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start">
            <DropdownMenu.Item className="menu-item" onSelect={() => setAsking('rename')}>
              <EditIcon />
              {t('projects.rename')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => void update({ archived: !project.archived })}>
              <ArchiveIcon />
              {project.archived ? t('projects.unarchive') : t('projects.archive')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item danger" onSelect={() => setAsking('delete')}>
              <TrashIcon />
              {t('projects.delete')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Rename
        open={asking === 'rename'}
        title={t('projects.rename')}
        name={project.name}
        onClose={() => setAsking(null)}
        onRename={(name) => void update({ name })}
      />
      <Confirm
        open={asking === 'delete'}
        title={t('projects.delete')}
        question={t('projects.delete.sure', { name: project.name })}
        onClose={() => setAsking(null)}
        onConfirm={() => void remove()}
      />
    </>
  );
}
