import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useOverBudgetQuestion } from '../../session/over-budget.ts';
import { endText, usedText } from '../../view/budget.ts';

/** Asked before more is spent than a budget allows. */
export function OverBudget() {
  const t = useT();
  const question = useOverBudgetQuestion();
  if (question === null) return null;
  const { about, answer } = question;
  const values = { name: about.budget, used: usedText(about, t), end: endText(about.endsAt, t) };
  return (
    <Dialog
      open
      onClose={() => answer(false)}
      title={t('budgets.over.title')}
      description={t('budgets.over.question', values)}
    >
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => answer(false)}>
          {t('dialog.cancel')}
        </button>
        <button type="button" className="button primary" onClick={() => answer(true)}>
          {t('budgets.over.spend')}
        </button>
      </div>
    </Dialog>
  );
}
