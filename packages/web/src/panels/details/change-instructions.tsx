import type { BranchView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { changeBranch } from '../../session/branch-changes.ts';
import { errorText } from '../../view/error-text.ts';

/** Gives a branch other instructions from here on. */
export function ChangeInstructions({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        {t('instructions.change')}
      </button>
      {isOpen ? <InstructionsDialog projectId={projectId} branch={branch} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface InstructionsDialogProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly onClose: () => void;
}

function InstructionsDialog({ projectId, branch, onClose }: InstructionsDialogProps) {
  const t = useT();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    setProblem(null);
    try {
      await changeBranch(projectId, branch.id, { systemPrompt: text });
      onClose();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <Dialog open onClose={onClose} title={t('instructions.change.title')} description={t('instructions.change.lead')}>
      <DialogForm
        save={t('instructions.change.add')}
        canSave={text.trim() !== ''}
        problem={problem}
        onSave={submit}
        onClose={onClose}
      >
        <label className="field">
          <span>{t('instructions.change.text')}</span>
          <textarea
            className="input"
            rows={5}
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoFocus
          />
        </label>
      </DialogForm>
    </Dialog>
  );
}
