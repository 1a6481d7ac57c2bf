import type { ReactNode, Ref } from 'react';
import { useT } from '../i18n/index.ts';
import { useIntoView } from './into-view.ts';
import { Problem } from './problem.tsx';

interface DialogFormProps {
  /** What the button does, in its own words. */
  readonly save: string;
  readonly canSave?: boolean;
  readonly busy?: boolean;
  /** What went wrong, if it concerns no field in particular. */
  readonly problem?: string | null;
  readonly formRef?: Ref<HTMLFormElement>;
  readonly onSave: () => void | Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The frame of every form in a dialog: its fields, what went wrong, and below them Cancel and what saves it. */
export function DialogForm({
  save,
  canSave = true,
  busy = false,
  problem = null,
  formRef,
  onSave,
  onClose,
  children,
}: DialogFormProps) {
  const t = useT();
  const told = useIntoView<HTMLDivElement>(problem);
  return (
    <form
      ref={formRef}
      className="form"
      // A field says itself what is wrong with it, in the language of the page.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog may be opened from within another form, which React would submit as well.
        event.stopPropagation();
        if (!busy && canSave) void onSave();
      }}
    >
      {children}
      {problem === null ? null : (
        <div ref={told} className="dialog-problem">
          <Problem message={problem} />
        </div>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        {/* A button that is disabled while it works loses the focus, and with it the keyboard's place. */}
        <button type="submit" className="button primary" aria-busy={busy} disabled={!canSave}>
          {save}
        </button>
      </div>
    </form>
  );
}
