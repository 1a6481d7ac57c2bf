import type { BranchView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { ProviderMark } from '../../parts/provider-mark.tsx';
import { branchColour } from '../../view/colour.ts';
import { matches } from '../../view/matches.ts';

interface TargetsProps {
  /** All branches of the project: a colour follows from the place among them. */
  readonly branches: readonly BranchView[];
  readonly others: readonly BranchView[];
  readonly chosen: string;
  readonly disabled: boolean;
  readonly onChoose: (id: string) => void;
}

/** So many names can be seen at a glance; above that there is a field to filter them. */
const AT_A_GLANCE = 8;

/** The branches that something can be brought to. */
export function Targets({ branches, others, chosen, disabled, onChoose }: TargetsProps) {
  const t = useT();
  const [filter, setFilter] = useState('');
  // What is chosen stays in sight: nobody should bring something to a branch that they do not see. While it is brought
  // it stands alone: a list in which nothing can be chosen cannot be scrolled by keyboard.
  const shown = others.filter(({ id, name }) => id === chosen || (!disabled && matches(name, filter)));
  return (
    <fieldset className="field choices merge-targets" disabled={disabled}>
      <legend>{t('merge.into')}</legend>
      {others.length > AT_A_GLANCE && !disabled ? (
        <input
          type="search"
          className="input"
          aria-label={t('branches.compare.filter')}
          placeholder={t('branches.compare.filter')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            // Enter belongs to the list: it would bring something before it was seen what.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      ) : null}
      <div className="merge-list">
        {shown.map((branch) => (
          <label key={branch.id} className="merge-row">
            <input type="radio" name="merge-into" checked={branch.id === chosen} onChange={() => onChoose(branch.id)} />
            <span
              className="dot"
              style={{
                background: branchColour(
                  branch.color,
                  branches.findIndex(({ id }) => id === branch.id),
                ),
              }}
            />
            <span className="merge-text">{branch.name}</span>
            <ProviderMark provider={branch.provider} model={branch.model} />
          </label>
        ))}
        {others.every(({ name }) => !matches(name, filter)) ? (
          <p className="faint">{t('branches.compare.none')}</p>
        ) : null}
      </div>
    </fieldset>
  );
}
