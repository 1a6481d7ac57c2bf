import type { ProjectView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ArchiveIcon, DownloadIcon, FolderIcon, PinIcon, SelectIcon, SlidersIcon } from '../../parts/icons.tsx';
import { changeProjects } from '../../session/change-projects.ts';
import { attempt } from '../../session/refusals.ts';
import { startChoosing } from '../../session/selection.ts';
import { useDeletion } from '../../session/use-deletion.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { RowMenu } from './row-menu.tsx';

const ProjectDefaults = lazy(() =>
  import('../project-defaults/index.tsx').then(({ ProjectDefaults: component }) => ({ default: component })),
);
const ExportDialog = lazy(() =>
  import('../../parts/export-dialog/index.tsx').then(({ ExportDialog: component }) => ({ default: component })),
);

export function ProjectMenu({ project }: { readonly project: ProjectView }) {
  const t = useT();
  const { deleteProject } = useDeletion(project.id);
  const [choosing, setChoosing] = useState(false);
  const [exporting, setExporting] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const update = (change: Parameters<typeof changeProjects>[1]) => changeProjects([project.id], change);
  return (
    <>
      <RowMenu
        name={project.name}
        words={{
          rename: t('palette.renameProject'),
          delete: t('projects.delete'),
          sure: t('projects.delete.sure', { name: project.name }),
        }}
        onRename={(name) => update({ name })}
        onDelete={() => deleteProject(project.name)}
      >
        {(act) => (
          <>
            <DropdownMenu.Item className="menu-item" onSelect={() => act(() => update({ pinned: !project.pinned }))}>
              <PinIcon />
              {project.pinned ? t('branches.unpin') : t('branches.pin')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => setMoving(true)}>
              <FolderIcon />
              {t('projects.folder')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => setChoosing(true)}>
              <SlidersIcon />
              {t('defaults.open')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => setExporting(true)}>
              <DownloadIcon />
              {t('export.menu')}
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className="menu-item"
              onSelect={() => act(() => update({ archived: !project.archived }))}
            >
              <ArchiveIcon />
              {project.archived ? t('projects.unarchive') : t('projects.archive')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => startChoosing(project.id)}>
              <SelectIcon />
              {t('select.start')}
            </DropdownMenu.Item>
          </>
        )}
      </RowMenu>
      <Suspense fallback={null}>
        {choosing ? <ProjectDefaults projectId={project.id} onClose={() => setChoosing(false)} /> : null}
      </Suspense>
      {exporting ? (
        <Suspense fallback={null}>
          <ExportDialog projectId={project.id} branch={null} onClose={() => setExporting(false)} />
        </Suspense>
      ) : null}
      <FolderDialog
        open={isMoving}
        current={project.folder}
        onMove={(folder) => void attempt(() => update({ folder }))}
        onClose={() => setMoving(false)}
      />
    </>
  );
}
