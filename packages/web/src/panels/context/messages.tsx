import type { BranchView, ContextReport } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { ChooseDialog } from '../../parts/choose-dialog/index.tsx';
import { FidelityList } from '../../parts/fidelity-list.tsx';
import { chooseIfFree } from '../../session/choices.ts';
import { attempt } from '../../session/refusals.ts';
import type { ChoiceChanges } from '../../view/choices.ts';
import { choosing, withdrawing } from '../../view/choices.ts';

interface MessagesProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly lines: ContextReport['report'];
  readonly onOpen: (nodeId: string) => void;
}

/** What happens to every message, and the choice of several at once. */
export function Messages({ projectId, branch, lines, onOpen }: MessagesProps) {
  const t = useT();
  const [picked, setPicked] = useState<ReadonlySet<string> | undefined>();
  const [asked, setAsked] = useState<ChoiceChanges | null>(null);
  const ids = [...(picked ?? [])];
  const back = withdrawing(branch, ids);
  const end = (): void => setPicked(undefined);
  const pick = (id: string, isPicked: boolean): void => {
    const others = ids.filter((each) => each !== id);
    setPicked(new Set(isPicked ? [...others, id] : others));
  };
  const pin = (): void =>
    void attempt(async () => {
      const pins = choosing(ids, 'pin');
      if (await chooseIfFree(projectId, branch, pins)) end();
      else setAsked(pins);
    });
  return (
    <section>
      <div className="messages-head">
        <h3>{t('context.nodes')}</h3>
        <button
          type="button"
          className="button small quiet"
          onClick={() => (picked === undefined ? setPicked(new Set()) : end())}
        >
          {t(picked === undefined ? 'choose.several' : 'choose.done')}
        </button>
      </div>
      {picked === undefined ? null : (
        <div className="messages-choice" role="group" aria-label={t('choose.several')}>
          <span className="faint">{t('choose.picked', { count: ids.length })}</span>
          <button
            type="button"
            className="button small"
            disabled={ids.length === 0}
            onClick={() => setAsked(choosing(ids, 'leave_out'))}
          >
            {t('choose.leaveOut')}
          </button>
          <button type="button" className="button small" disabled={ids.length === 0} onClick={pin}>
            {t('choose.pin')}
          </button>
          <button
            type="button"
            className="button small"
            disabled={Object.keys(back).length === 0}
            onClick={() => setAsked(back)}
          >
            {t('choose.back')}
          </button>
        </div>
      )}
      <FidelityList
        lines={lines.map((line) => withPin(line, branch))}
        onChoose={onOpen}
        picked={picked}
        onPick={pick}
      />
      {asked === null ? null : (
        <ChooseDialog
          projectId={projectId}
          branch={branch}
          choices={asked}
          onClose={() => setAsked(null)}
          onDone={end}
        />
      )}
    </section>
  );
}

/** A pin is worth showing before it has to hold anything. */
function withPin(line: ContextReport['report'][number], { choices = {} }: BranchView): typeof line {
  const isShown = choices[line.nodeId] !== 'pin' || line.reasons.includes('pinned');
  return isShown ? line : { ...line, reasons: [...line.reasons, 'pinned'] };
}
