import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { FolderIcon } from '../../parts/icons.tsx';
import { projectsQuery, UNFILED } from '../../session/queries.ts';

interface FolderDialogProps {
  readonly open: boolean;
  /** The folder that it is in now, if that is one. */
  readonly current: string | null;
  readonly onMove: (folder: string | null) => void;
  readonly onClose: () => void;
}

/** Where to put projects: into a folder that exists, into a new one, or out of all. */
export function FolderDialog({ open, current, onMove, onClose }: FolderDialogProps) {
  const t = useT();
  return (
    <Dialog open={open} onClose={onClose} title={t('projects.folder.title')}>
      <FolderForm
        current={current}
        onMove={(folder) => {
          onClose();
          onMove(folder);
        }}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** Mounted with the dialog, so that it always starts empty. */
function FolderForm({ current, onMove, onClose }: Omit<FolderDialogProps, 'open'>) {
  const t = useT();
  const [name, setName] = useState('');
  const folders = (useQuery(projectsQuery(UNFILED)).data?.folders ?? []).filter((folder) => folder.name !== current);
  return (
    <DialogForm
      save={t('projects.folder.move')}
      canSave={name.trim() !== ''}
      onSave={() => onMove(name.trim())}
      onClose={onClose}
    >
      {folders.length === 0 && current === null ? null : (
        <ul className="folder-choices" aria-label={t('projects.folders')}>
          {folders.map((folder) => (
            <li key={folder.name}>
              <button type="button" className="button quiet" onClick={() => onMove(folder.name)}>
                <FolderIcon />
                <span>{folder.name}</span>
              </button>
            </li>
          ))}
          {current === null ? null : (
            <li>
              <button type="button" className="button quiet" onClick={() => onMove(null)}>
                {t('projects.folder.none')}
              </button>
            </li>
          )}
        </ul>
      )}
      <label className="field">
        <span>{t('projects.folder.new')}</span>
        <input className="input" value={name} onChange={(event) => setName(event.target.value)} maxLength={200} />
      </label>
    </DialogForm>
  );
}
