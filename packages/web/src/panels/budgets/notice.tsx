import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/index.ts';
import { projectBudgetsQuery } from '../../session/queries.ts';
import { endText, usedText } from '../../view/budget.ts';
import './budgets.css';

/** Says beside the composer which budgets are nearly used up, or used up. */
export function BudgetNotice({ projectId }: { readonly projectId: string }) {
  const t = useT();
  const { data } = useQuery(projectBudgetsQuery(projectId));
  const told = (data?.budgets ?? []).flatMap(({ name, limit, unit, endsAt, uses }) =>
    uses.filter(({ level }) => level !== 'ok').map((use) => ({ ...use, name, limit, unit, endsAt })),
  );
  if (told.length === 0) return null;
  return (
    <div className="budget-notices" role="status">
      {told.map((use) => (
        <p key={use.name} className={use.level}>
          <Link to="/settings" hash="budgets">
            {t(use.level === 'over' ? 'budgets.notice.over' : 'budgets.notice.warn', { name: use.name })}
          </Link>{' '}
          {usedText(use, t)}, {endText(use.endsAt, t)}
        </p>
      ))}
    </div>
  );
}
