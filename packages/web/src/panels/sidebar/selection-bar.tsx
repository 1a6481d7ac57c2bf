import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { ArchiveIcon, CloseIcon, FolderIcon, PinIcon, TrashIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { changeProjects, deleteProjects } from '../../session/change-projects.ts';
import { queryClient } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { stopChoosing, useChosen } from '../../session/selection.ts';
import { FolderDialog } from './folder-dialog.tsx';

/** What can be done to all the projects that are chosen. */
export function SelectionBar() {
  const t = useT();
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const chosen = useChosen();
  const [asking, setAsking] = useState<'folder' | 'delete' | null>(null);
  if (chosen === null) return null;
  const count = chosen.size;
  const act = (work: () => Promise<void>): void => {
    void attempt(async () => {
      await work();
      stopChoosing();
    });
  };
  const remove = async (): Promise<void> => {
    await deleteProjects(chosen, '');
    if (projectId !== undefined && chosen.has(projectId)) await navigate({ to: '/' });
    await queryClient.invalidateQueries();
  };
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('select.label')}>
      <span className="selection-count" role="status">
        {t('select.count', { count })}
      </span>
      <IconButton
        label={t('branches.pin')}
        disabled={count === 0}
        onClick={() => act(() => changeProjects(chosen, { pinned: true }))}
      >
        <PinIcon />
      </IconButton>
      <IconButton label={t('projects.folder')} disabled={count === 0} onClick={() => setAsking('folder')}>
        <FolderIcon />
      </IconButton>
      <IconButton
        label={t('projects.archive')}
        disabled={count === 0}
        onClick={() => act(() => changeProjects(chosen, { archived: true }))}
      >
        <ArchiveIcon />
      </IconButton>
      <IconButton label={t('select.delete')} disabled={count === 0} onClick={() => setAsking('delete')}>
        <TrashIcon />
      </IconButton>
      <IconButton label={t('select.done')} onClick={stopChoosing}>
        <CloseIcon />
      </IconButton>
      <FolderDialog
        open={asking === 'folder'}
        current={null}
        onMove={(folder) => act(() => changeProjects(chosen, { folder }))}
        onClose={() => setAsking(null)}
      />
      <Confirm
        open={asking === 'delete'}
        title={t('select.delete')}
        question={t('select.delete.sure', { count })}
        confirm={t('select.delete')}
        onConfirm={() => act(remove)}
        onClose={() => setAsking(null)}
      />
    </div>
  );
}
