import type { BranchView, ContextReport } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { attempt } from '../../session/refusals.ts';
import { choose } from '../../session/choices.ts';
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

/** Tells what leaving messages out, or putting them back, spares and costs, before it is done. */
export function ChooseDialog({ projectId, branch, choices, onClose, onDone }: ChooseDialogProps) {
  const t = useT();
  const count = Object.keys(choices).length;
  const isBack = Object.values(choices).every((choice) => choice === null);
  const asked = useQuery({
    // The effect alone: the report of a long conversation is long.
    ...contextReportQuery(projectId, { ref: branch.id, choices, from: NEXT_MESSAGE }),
    gcTime: 0,
    staleTime: 0,
  });
  const effect = asked.isFetching ? undefined : asked.data?.effect;
  const words = t(isBack ? 'choose.back.count' : 'choose.leaveOut.count', { count: formatNumber(count, t.locale) });
  const confirm = (): void => {
    onClose();
    void attempt(async () => {
      await choose(projectId, branch, choices);
      onDone?.();
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(isBack ? 'choose.back' : 'choose.leaveOut')}
      description={t(isBack ? 'choose.back.why' : 'choose.leaveOut.why')}
    >
      {asked.isError ? <Problem message={errorText(asked.error)} /> : null}
      {asked.isFetching ? <Loading failures={asked.failureCount} /> : null}
      {effect === undefined ? null : <Effect effect={effect} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        {effect === undefined ? null : (
          <button type="button" className="button primary" onClick={confirm}>
            {words}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Effect({ effect }: { readonly effect: NonNullable<ContextReport['effect']> }) {
  const t = useT();
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
