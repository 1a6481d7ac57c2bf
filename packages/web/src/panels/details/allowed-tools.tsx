import type { BranchView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { changeBranch } from '../../session/branch-changes.ts';
import { attempt } from '../../session/refusals.ts';

/** What runs on this branch without asking, because somebody said so; and how to take that back. */
export function AllowedTools({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const allowed = branch.allowedTools ?? [];
  if (allowed.length === 0) return null;
  const withdraw = (tool: string): Promise<boolean> =>
    attempt(() => changeBranch(projectId, branch.id, { allowedTools: allowed.filter((each) => each !== tool) }));
  return (
    <>
      <h3>{t('details.allowed')}</h3>
      <ul className="allowed-tools">
        {allowed.map((tool) => (
          <li key={tool}>
            <code>{tool}</code>
            <button type="button" className="button small" onClick={() => void withdraw(tool)}>
              {t('details.allowed.withdraw')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
