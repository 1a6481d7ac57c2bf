import type { BranchView, MergedCanvasView } from '@bough/api/client';
import type { MergeChoice } from '@bough/core';
import { MERGE_CHOICES } from '@bough/core';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { client } from '../../session/client.ts';
import { attempt } from '../../session/refusals.ts';

interface MergeProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly branches: readonly BranchView[];
  /** The version that what is brought is merged into, as the reader sees it. */
  readonly version: string | null;
  /** Something is written and not saved: it would be left behind by what is stored. */
  readonly isUnsaved: boolean;
  readonly onMerged: () => Promise<void>;
}

type Conflict = Extract<MergedCanvasView['parts'][number], { kind: 'conflict' }>;

/** Brings the canvas of another branch. What both changed is shown side by side; nothing is stored before a choice. */
export function CanvasMerge({ projectId, branch, branches, version, isUnsaved, onMerged }: MergeProps) {
  const t = useT();
  const others = branches.filter(({ id }) => id !== branch.id);
  const [from, setFrom] = useState('');
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [choices, setChoices] = useState<readonly (MergeChoice | null)[]>([]);
  const [outcome, setOutcome] = useState('');
  const chosen = choices.filter((choice) => choice !== null);
  const merge = async (decided: MergeChoice[]): Promise<void> => {
    const asked = { ref: branch.id, from, choices: decided, expected: version };
    const { parts, saved } = await client.mergeCanvas(projectId, asked);
    const open = saved === null ? parts.filter((part) => part.kind === 'conflict') : [];
    setConflicts(open);
    setChoices(open.map(() => null));
    setOutcome('');
    if (saved === null) return;
    await onMerged();
    const name = others.find(({ id }) => id === from)?.name ?? '';
    setOutcome(t(saved.version === version ? 'canvas.merge.nothing' : 'canvas.merge.done', { branch: name }));
    setFrom('');
  };
  if (others.length === 0) return <p className="faint">{t('canvas.merge.none')}</p>;
  return (
    <div className="canvas-merge">
      <div className="canvas-merge-from">
        <select
          className="input"
          aria-label={t('canvas.merge.from')}
          value={from}
          onChange={(event) => {
            setFrom(event.target.value);
            setConflicts([]);
            setOutcome('');
          }}
        >
          <option value="">{t('canvas.merge.from')}</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="button small"
          disabled={from === '' || isUnsaved}
          onClick={() => void attempt(() => merge([]))}
        >
          {t('canvas.merge.do')}
        </button>
      </div>
      <p role="status">
        {conflicts.length > 0
          ? t('canvas.conflicts', { count: conflicts.length })
          : isUnsaved && from !== ''
            ? t('canvas.merge.unsaved')
            : outcome}
      </p>
      {conflicts.map((conflict, index) => (
        <fieldset key={index} className="canvas-conflict">
          <legend>{t('canvas.conflict', { index: index + 1 })}</legend>
          <Side label={t('canvas.side.ours')} lines={conflict.ours} />
          <Side label={t('canvas.side.theirs')} lines={conflict.theirs} />
          <div className="canvas-sides">
            {MERGE_CHOICES.map((side) => (
              <label key={side} className="check-line">
                <input
                  type="radio"
                  name={`conflict-${index}`}
                  checked={choices[index] === side}
                  onChange={() => setChoices(choices.with(index, side))}
                />{' '}
                {t(`canvas.side.${side}`)}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      {conflicts.length === 0 ? null : (
        <button
          type="button"
          className="button small primary"
          disabled={chosen.length < conflicts.length || isUnsaved}
          onClick={() => void attempt(() => merge(chosen))}
        >
          {t('canvas.merge.save')}
        </button>
      )}
    </div>
  );
}

function Side({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  return (
    <div>
      <small>{label}</small>
      <pre className="raw" tabIndex={0} aria-label={label}>
        {lines.join('\n')}
      </pre>
    </div>
  );
}
