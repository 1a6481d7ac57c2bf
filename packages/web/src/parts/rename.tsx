import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { Dialog } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';

interface RenameProps {
  readonly open: boolean;
  readonly title: string;
  readonly name: string;
  readonly onRename: (name: string) => void;
  readonly onClose: () => void;
}

export function Rename({ open, title, name, onRename, onClose }: RenameProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <RenameForm name={name} onRename={onRename} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted with the dialog, so that it always starts with the current name. */
function RenameForm({ name, onRename, onClose }: Pick<RenameProps, 'name' | 'onRename' | 'onClose'>) {
  const t = useT();
  const [value, setValue] = useState(name);
  return (
    <DialogForm
      save={t('projects.rename')}
      canSave={value.trim() !== ''}
      onSave={() => {
        onRename(value.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <label className="field">
        <span>{t('branch.name')}</span>
        <input className="input" value={value} onChange={(event) => setValue(event.target.value)} maxLength={200} />
      </label>
    </DialogForm>
  );
}
