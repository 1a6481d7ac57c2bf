import type { PromptView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../../i18n/later/index.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { client } from '../../../session/client.ts';
import { refreshPrompts } from '../../../session/library.ts';
import { useAttempt } from '../../../session/use-attempt.ts';
import { cleanTags } from '../../../view/prompt-files.ts';
import { variablesIn } from '../../../view/prompt-text.ts';

interface PromptDialogProps {
  /** The prompt that is changed; absent for a new one. */
  readonly prompt?: PromptView;
  readonly onClose: () => void;
}

export function PromptDialog({ prompt, onClose }: PromptDialogProps) {
  const t = useT();
  const [title, setTitle] = useState(prompt?.title ?? '');
  const [text, setText] = useState(prompt?.text ?? '');
  const [tags, setTags] = useState(prompt?.tags.join(', ') ?? '');
  const { busy, problem, run } = useAttempt();
  const isWhole = title.trim() !== '' && text.trim() !== '';
  const variables = variablesIn(text);
  const submit = (): Promise<boolean> =>
    run(async () => {
      const body = { title: title.trim(), text, tags: [...cleanTags(tags.split(/[,，]/))] };
      await (prompt === undefined ? client.createPrompt(body) : client.updatePrompt(prompt.id, body));
      await refreshPrompts();
      onClose();
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(prompt === undefined ? 'prompts.new' : 'prompts.edit')}
      description={t('prompts.lead', { plain: '{{name}}', filled: '{{name:default}}' })}
    >
      <DialogForm
        save={t('prompts.save')}
        canSave={isWhole}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={onClose}
      >
        <label className="field">
          <span>{t('prompts.field.title')}</span>
          <input
            className="input"
            value={title}
            maxLength={200}
            onChange={(event) => setTitle(event.target.value)}
            autoFocus
          />
        </label>
        <label className="field">
          <span>{t('prompts.field.text')}</span>
          <textarea
            className="input"
            rows={8}
            maxLength={200_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {variables.length === 0 ? null : (
          <p className="library-variables">
            {t('prompts.variables')}{' '}
            {variables.map(({ name }) => (
              <code key={name}>{name}</code>
            ))}
          </p>
        )}
        <label className="field">
          <span>{t('prompts.field.tags')}</span>
          <input
            className="input"
            value={tags}
            placeholder={t('prompts.field.tags.placeholder')}
            onChange={(event) => setTags(event.target.value)}
          />
        </label>
      </DialogForm>
    </Dialog>
  );
}
