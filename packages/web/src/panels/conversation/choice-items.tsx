import type { BranchView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { useT } from '../../i18n/index.ts';
import { LeaveOutIcon, PinIcon } from '../../parts/icons.tsx';
import { chooseIfFree } from '../../session/choices.ts';
import { attempt } from '../../session/refusals.ts';
import type { ChoiceChanges } from '../../view/choices.ts';
import { choiceOf, choosing, withdrawing } from '../../view/choices.ts';

interface ChoiceItemsProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly nodeIds: readonly string[];
  /** What changes the next request changes what caches and thinking rely on, too: the price is told first. */
  readonly onAsk: (choices: ChoiceChanges) => void;
}

/** The entries of a message's menu that decide whether models get it. */
export function ChoiceItems({ projectId, branch, nodeIds, onAsk }: ChoiceItemsProps) {
  const t = useT();
  const choice = choiceOf(branch, nodeIds);
  const applyOrAsk = (choices: ChoiceChanges): void =>
    void attempt(async () => {
      if (!(await chooseIfFree(projectId, branch, choices))) onAsk(choices);
    });
  if (choice === 'leave_out')
    return (
      <DropdownMenu.Item className="menu-item" onSelect={() => onAsk(withdrawing(branch, nodeIds))}>
        <LeaveOutIcon />
        {t('choose.back')}
      </DropdownMenu.Item>
    );
  return (
    <>
      <DropdownMenu.Item className="menu-item" onSelect={() => onAsk(choosing(nodeIds, 'leave_out'))}>
        <LeaveOutIcon />
        {t('choose.leaveOut')}
      </DropdownMenu.Item>
      <DropdownMenu.Item
        className="menu-item"
        onSelect={() => applyOrAsk(choice === 'pin' ? withdrawing(branch, nodeIds) : choosing(nodeIds, 'pin'))}
      >
        <PinIcon />
        {t(choice === 'pin' ? 'choose.unpin' : 'choose.pin')}
      </DropdownMenu.Item>
    </>
  );
}
