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
  readonly onMerged: () => void;
}

type Conflict = Extract<MergedCanvasView['parts'][number], { kind: 'conflict' }>;

/** Brings the canvas of another branch. What both changed is shown side by side; nothing is stored before a choice. */
export function CanvasMerge({ projectId, branch, branches, onMerged }: MergeProps) {
  const t = useT();
  const others = branches.filter(({ id }) => id !== branch.id);
  const [from, setFrom] = useState('');
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [choices, setChoices] = useState<readonly (MergeChoice | null)[]>([]);
  const chosen = choices.filter((choice) => choice !== null);
  const merge = async (decided: MergeChoice[]): Promise<void> => {
    const merged = await client.mergeCanvas(projectId, { ref: branch.id, from, choices: decided });
    const open = merged.parts.filter((part) => part.kind === 'conflict');
    setConflicts(merged.saved === null ? open : []);
    setChoices(merged.saved === null ? open.map(() => null) : []);
    if (merged.saved !== null) onMerged();
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
          disabled={from === ''}
          onClick={() => void attempt(() => merge([]))}
        >
          {t('canvas.merge.do')}
        </button>
      </div>
      {conflicts.length === 0 ? null : <p role="status">{t('canvas.conflicts', { count: conflicts.length })}</p>}
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
          disabled={chosen.length < conflicts.length}
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
