import type { BranchView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { changeBranch } from '../../session/branch-changes.ts';
import { attempt } from '../../session/refusals.ts';

const MODES = ['off', 'ask', 'on'] as const;
const USUAL = { mode: 'ask', share: 0.8 } as const;
const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** What happens on the branch as the window fills up. Counts at once: it has nothing to do with this one summary. */
export function WhenFull({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [compacting, setCompacting] = useState<NonNullable<BranchView['compacting']>>(branch.compacting ?? USUAL);
  const set = (change: Partial<typeof compacting>): void => {
    const next = { ...compacting, ...change };
    // Shown at once: a choice that jumps back until the server has answered looks broken.
    setCompacting(next);
    void attempt(() => changeBranch(projectId, branch.id, { compacting: next }));
  };
  const shares = [...new Set([...SHARES, compacting.share])].toSorted((one, other) => one - other);
  return (
    <fieldset className="field choices when-full">
      <legend>{t('compact.full')}</legend>
      <div className="segmented">
        {MODES.map((mode) => (
          <label key={mode}>
            <input
              type="radio"
              name="compacting"
              value={mode}
              checked={compacting.mode === mode}
              onChange={() => set({ mode })}
            />
            <span>{t(`compact.full.${mode}`)}</span>
          </label>
        ))}
      </div>
      {compacting.mode === 'off' ? null : (
        <label className="when-full-share">
          <span>{t('compact.full.from')}</span>
          <select
            className="input"
            value={String(compacting.share)}
            onChange={(event) => set({ share: Number(event.target.value) })}
          >
            {shares.map((share) => (
              <option key={share} value={String(share)}>
                {new Intl.NumberFormat(t.locale, { style: 'percent' }).format(share)}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}
