import type { WholeQuestionSetView } from '@bough/api/client';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { useFileDrop } from '../../parts/files/use-file-drop.ts';
import { HintedField } from '../../parts/hinted-field.tsx';
import { UploadIcon } from '../../parts/icons.tsx';
import type { SetSource } from '../../session/question-sets.ts';
import { saveSet } from '../../session/question-sets.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { formatNumber } from '../../view/format.ts';
import { countQuestions, textOfQuestions } from '../../view/question-text.ts';
import type { ChosenBranch } from './branch-choice.tsx';
import { BranchChoice } from './branch-choice.tsx';

interface SetDialogProps {
  /** The set that is changed; absent for a new one. */
  readonly set?: WholeQuestionSetView;
  /** The branch that a new one is made of; null where it is written or chosen. */
  readonly from?: ChosenBranch | null;
  readonly onSaved?: (id: string) => void;
  readonly onClose: () => void;
}

const SOURCES = ['text', 'branch'] as const;

/** The questions of a set: written, from a file, or what a person said on a branch. */
export function SetDialog({ set, from = null, onSaved, onClose }: SetDialogProps) {
  const t = useT();
  const [name, setName] = useState(set?.name ?? '');
  const [source, setSource] = useState<(typeof SOURCES)[number]>(from === null ? 'text' : 'branch');
  const [text, setText] = useState(() => (set === undefined ? '' : textOfQuestions(set.questions)));
  const [branch, setBranch] = useState<ChosenBranch | null>(from);
  const [prompt, setPrompt] = useState(set?.systemPrompt ?? '');
  const { busy, problem, run } = useAttempt();
  const isText = source === 'text';
  const canSave = name.trim() !== '' && (isText ? text.trim() !== '' : branch !== null);
  const questionsFrom = (): SetSource | null => {
    if (!isText) return branch === null ? null : { projectId: branch.project, ref: branch.branch };
    return set !== undefined && text === textOfQuestions(set.questions) ? null : { file: text };
  };
  const save = (): Promise<boolean> =>
    run(async () => {
      // A branch brings its own system prompt.
      const systemPrompt = isText ? (prompt.trim() === '' ? null : prompt) : undefined;
      const id = await saveSet(set?.id ?? null, { name: name.trim(), systemPrompt, from: questionsFrom() });
      onClose();
      onSaved?.(id);
    });
  const take = async (file: File): Promise<void> => {
    setText(await file.text());
    if (name.trim() === '') setName(file.name.replace(/\.[^.]+$/, ''));
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t(set === undefined ? 'sets.new' : 'sets.edit.title')}
      {...(set === undefined || set.rounds.length === 0 ? {} : { description: t('sets.edit.why') })}
    >
      <DialogForm
        save={t(set === undefined ? 'sets.create' : 'sets.save')}
        canSave={canSave}
        busy={busy}
        problem={problem}
        onSave={save}
        onClose={onClose}
      >
        <label className="field">
          <span>{t('branch.name')}</span>
          <input className="input" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
        </label>
        <fieldset className="field choices">
          <legend>{t('sets.source')}</legend>
          <div className="segmented">
            {SOURCES.map((each) => (
              <label key={each}>
                <input type="radio" name="source" checked={source === each} onChange={() => setSource(each)} />
                <span>{t(`sets.source.${each}`)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        {isText ? (
          <>
            <QuestionsField text={text} onChange={setText} onFile={(file) => void take(file)} />
            <HintedField label={t('branch.systemPrompt')} hint={t('sets.prompt.hint')}>
              {(described) => (
                <textarea
                  {...described}
                  className="input"
                  rows={2}
                  value={prompt}
                  onChange={(event) => setPrompt(event.target.value)}
                />
              )}
            </HintedField>
          </>
        ) : (
          <BranchChoice chosen={branch} onChoose={setBranch} />
        )}
      </DialogForm>
    </Dialog>
  );
}

interface QuestionsFieldProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onFile: (file: File) => void;
}

/** Written, dropped or chosen: what is in it can be corrected before it is saved. */
function QuestionsField({ text, onChange, onFile }: QuestionsFieldProps) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(onFile);
  const count = countQuestions(text);
  return (
    <div className="field sets-questions" {...drop}>
      <HintedField label={t('sets.questions')} hint={t('sets.questions.hint')}>
        {(described) => (
          <textarea
            {...described}
            className="input"
            rows={8}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </HintedField>
      <div className="sets-file">
        <button type="button" className="button small" onClick={() => field.current?.click()}>
          <UploadIcon />
          {t('sets.file')}
        </button>
        <input
          ref={field}
          type="file"
          hidden
          accept=".txt,.jsonl,.ndjson,.json,.md"
          aria-label={t('sets.file')}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file !== undefined) onFile(file);
            // The same file may be chosen again.
            event.target.value = '';
          }}
        />
        <small role="status">
          {count === null ? t('sets.unreadable') : t('sets.count', { count: formatNumber(count, t.locale) })}
        </small>
      </div>
    </div>
  );
}
