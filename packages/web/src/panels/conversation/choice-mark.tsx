import type { BranchView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { choiceOf, isLeftOut } from '../../view/choices.ts';

/** Says that a person left a message out of requests, or pinned it into them. */
export function ChoiceMark({ branch, nodeIds }: { readonly branch: BranchView; readonly nodeIds: readonly string[] }) {
  const t = useT();
  const choice = choiceOf(branch, nodeIds);
  if (choice === null) return null;
  const words = choice === 'pin' ? 'pinned' : isLeftOut(branch, nodeIds) ? 'leftOut' : 'partly';
  return (
    <Explain text={t(`choose.${words}.why`)}>
      <span className="badge" tabIndex={0}>
        {t(`choose.${words}`)}
      </span>
    </Explain>
  );
}
