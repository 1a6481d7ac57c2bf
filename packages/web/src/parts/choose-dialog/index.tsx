import type { BranchView, ContextReport } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { attempt } from '../../session/refusals.ts';
import { choose, isTooLong } from '../../session/choices.ts';
import { contextReportQuery } from '../../session/queries.ts';
import type { ChoiceChanges } from '../../view/choices.ts';
import { errorText } from '../../view/error-text.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { NEXT_MESSAGE } from '../../view/switch-preview.ts';
import { Dialog } from '../dialog.tsx';
import { Loading } from '../loading.tsx';
import { Problem } from '../problem.tsx';

interface ChooseDialogProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly choices: ChoiceChanges;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Tells what leaving messages out, pinning them or taking that back spares and costs, before it is done. */
export function ChooseDialog({ projectId, branch, choices, onClose, onDone }: ChooseDialogProps) {
  const t = useT();
  const count = Object.keys(choices).length;
  const what = whatOf(branch, choices);
  const asked = useQuery({
    // The effect alone: the report of a long conversation is long.
    ...contextReportQuery(projectId, { ref: branch.id, choices, from: NEXT_MESSAGE }),
    gcTime: 0,
    staleTime: 0,
  });
  const known = asked.isFetching ? undefined : asked.data;
  const canConfirm = known !== undefined || (!asked.isFetching && isTooLong(asked.error));
  const confirm = (): void => {
    onClose();
    void attempt(async () => {
      await choose(projectId, branch, choices);
      onDone?.();
    });
  };
  return (
    <Dialog open onClose={onClose} title={t(`choose.${what}`)} description={t(`choose.${what}.why`)}>
      {asked.isError ? <Problem message={errorText(asked.error)} /> : null}
      {asked.isFetching ? <Loading failures={asked.failureCount} /> : null}
      {known === undefined ? null : <Effect effect={known.effect} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        {canConfirm ? (
          <button type="button" className="button primary" onClick={confirm}>
            {t(`choose.${what}.count`, { count: formatNumber(count, t.locale) })}
          </button>
        ) : null}
      </div>
    </Dialog>
  );
}

type What = 'leaveOut' | 'pin' | 'unpin' | 'back';

function whatOf({ choices: before = {} }: BranchView, choices: ChoiceChanges): What {
  const wanted = Object.values(choices);
  if (wanted.includes('leave_out')) return 'leaveOut';
  if (wanted.includes('pin')) return 'pin';
  return Object.keys(choices).every((id) => before[id] === 'pin') ? 'unpin' : 'back';
}

function Effect({ effect }: Pick<ContextReport, 'effect'>) {
  const t = useT();
  if (effect === undefined) return <p>{t('choose.fits')}</p>;
  const { savedTokens, rewrittenTokens, rewriteCost, lostReasoning } = effect;
  const number = (value: number): string => formatNumber(value, t.locale);
  return (
    <ul className="choose-effect">
      <li>{t(savedTokens < 0 ? 'choose.more' : 'choose.fewer', { count: number(Math.abs(savedTokens)) })}</li>
      {rewrittenTokens === 0 ? null : (
        <li>
          {rewriteCost === null
            ? t('choose.rewritten.unknown', { count: number(rewrittenTokens) })
            : t('choose.rewritten', { count: number(rewrittenTokens), cost: formatCost(rewriteCost, t.locale) })}
        </li>
      )}
      {lostReasoning.length === 0 ? null : <li>{t('choose.reasoning', { count: number(lostReasoning.length) })}</li>}
    </ul>
  );
}
