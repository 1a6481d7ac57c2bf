import type { BranchView } from '@bough/api/client';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { changeBranch } from '../../session/branch-changes.ts';
import { attempt } from '../../session/refusals.ts';

/** How this branch sends what was said before another model took over. */
export function ReplayChoice({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const why = useId();
  const isByBreak = branch.replayBy === 'break';
  const choose = (): Promise<void> => changeBranch(projectId, branch.id, { replayBy: isByBreak ? 'issuer' : 'break' });
  return (
    <div className="replay-choice">
      <label className="check-line">
        <input type="checkbox" checked={isByBreak} aria-describedby={why} onChange={() => void attempt(choose)} />{' '}
        {t('details.replayBy')}
      </label>
      <p id={why} className="replay-why">
        {t('details.replayBy.why')}
      </p>
    </div>
  );
}
