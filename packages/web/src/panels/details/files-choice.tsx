import type { BranchView } from '@bough/api/client';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { changeBranch } from '../../session/branch-changes.ts';
import { attempt } from '../../session/refusals.ts';

/** What this branch sends in place of files that its model does not take. */
export function FilesChoice({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const why = useId();
  const isLeftOut = branch.filesOtherwise === 'omit';
  const choose = (): Promise<void> =>
    changeBranch(projectId, branch.id, { filesOtherwise: isLeftOut ? 'text' : 'omit' });
  return (
    <div className="replay-choice">
      <label className="check-line">
        <input type="checkbox" checked={isLeftOut} aria-describedby={why} onChange={() => void attempt(choose)} />{' '}
        {t('details.files')}
      </label>
      <p id={why} className="replay-why">
        {t('details.files.why')}
      </p>
    </div>
  );
}
