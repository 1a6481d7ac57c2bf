import type { BranchView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { refreshProject } from '../../session/queries.ts';
import { errorText } from '../../view/error-text.ts';

/** Gives a branch other instructions from here on. */
export function ChangeInstructions({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
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
      await client.updateBranch(projectId, branch.id, { systemPrompt: text });
      await refreshProject(projectId);
      onClose();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <Dialog open onClose={onClose} title={t('instructions.change.title')} description={t('instructions.change.lead')}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
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
        {problem === null ? null : <Problem message={problem} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" className="button primary" disabled={text.trim() === ''}>
            {t('instructions.change.add')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
