import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { useProviderName } from '../../session/provider-name.ts';
import { branchCostsQuery } from '../../session/queries.ts';
import type { CostGroup } from '../../view/costs.ts';
import { groupedCosts, sumOf } from '../../view/costs.ts';
import { formatCost, formatNumber } from '../../view/format.ts';

/** What all messages of a branch cost, by model; unknown prices are told, not counted as nothing. */
export function BranchCosts({ projectId, branchId }: { readonly projectId: string; readonly branchId: string }) {
  const t = useT();
  const nameOf = useProviderName();
  const costs = useQuery(branchCostsQuery(projectId, branchId));
  const groups = groupedCosts(costs.data?.rows ?? [], 'model');
  if (costs.isError) return <Problem message={costs.error.message} />;
  if (groups.length === 0) return null;
  const count = (value: number): string => formatNumber(value, t.locale);
  const used = ({ calls, fresh, read, written, output, reasoning }: CostGroup): string =>
    [
      t('costs.calls', { count: count(calls) }),
      t('reply.tokens', { input: count(fresh + read + written), output: count(output) }),
      ...(read === 0 ? [] : [t('details.cached', { count: count(read) })]),
      ...(reasoning === 0 ? [] : [t('reply.reasoningTokens', { count: count(reasoning) })]),
    ].join(' · ');
  const priced = ({ cost, unknown }: CostGroup) => (
    <>
      {cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale)}
      {cost === null || unknown === 0 ? null : <small>{t('costs.unknown', { count: count(unknown) })}</small>}
    </>
  );
  return (
    <section className="branch-costs">
      <h2>{t('costs.branch')}</h2>
      <p className="faint">{t('costs.branch.lead')}</p>
      <dl>
        {groups.map((group) => (
          <div key={group.key}>
            <dt>
              {group.name} <small>{nameOf(group.provider ?? '')}</small>
              <small className="branch-used">{used(group)}</small>
            </dt>
            <dd>{priced(group)}</dd>
          </div>
        ))}
        {groups.length === 1 ? null : (
          <div className="sum">
            <dt>{t('costs.sum')}</dt>
            <dd>{priced(sumOf(groups))}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
