import type { PromptView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { isSendKey } from '../../parts/enter-key.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import type { Variable } from '../../view/prompt-text.ts';

interface FillDialogProps {
  readonly prompt: PromptView;
  readonly variables: readonly Variable[];
  readonly onFill: (values: ReadonlyMap<string, string>) => void;
  readonly onClose: () => void;
}

/** Asks for the variables of a prompt. Enter puts it into the message box, as it sends there. */
export function FillDialog({ prompt, variables, onFill, onClose }: FillDialogProps) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} title={prompt.title} description={t('prompts.fill.lead')}>
      <FillForm variables={variables} onFill={onFill} onClose={onClose} />
    </Dialog>
  );
}

function FillForm({ variables, onFill, onClose }: Omit<FillDialogProps, 'prompt'>) {
  const t = useT();
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => new Map(variables.map(({ name, fallback }) => [name, fallback])),
  );
  return (
    <DialogForm save={t('prompts.insert')} onSave={() => onFill(values)} onClose={onClose}>
      {variables.map(({ name }) => (
        <label key={name} className="field">
          <span>{name}</span>
          <textarea
            className="input"
            rows={1}
            value={values.get(name) ?? ''}
            onChange={(event) => setValues(new Map(values).set(name, event.target.value))}
            onKeyDown={(event) => {
              if (!isSendKey(event)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
      ))}
    </DialogForm>
  );
}
