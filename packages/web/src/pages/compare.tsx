import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useT } from '../i18n/later/index.ts';
import { SwapIcon } from '../parts/icons.tsx';
import { Page } from '../parts/page.tsx';
import { IconButton } from '../parts/tooltip.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { branchColour } from '../view/colour.ts';
import { messagesIn, parentsOf, sharedBy } from '../view/graph-path.ts';
import { Column } from './compare/column.tsx';
import { useScrollTogether } from './compare/scroll-together.ts';
import { useCompared } from './compare/use-compared.ts';
import './compare/compare.css';

/** Two branches side by side, from where they diverge. */
export function Compare() {
  const t = useT();
  const navigate = useNavigate();
  const { projectId = '', left: leftName = '', right: rightName = '' } = useParams({ strict: false });
  const graph = useCompared(projectId, leftName, rightName);
  const [together, setTogether] = useState(true);
  const scroll = useScrollTogether(together);
  const { data } = graph;
  const branches = data?.branches ?? [];
  const sides = [leftName, rightName].map((name) => branches.find((each) => each.name === name) ?? null);
  const [left = null, right = null] = sides;
  const shared = useMemo(
    () =>
      data === undefined || left === null || right === null
        ? null
        : sharedBy(left.tipId, right.tipId, parentsOf(data.nodes)),
    [data, left, right],
  );
  const missing =
    data === undefined ? undefined : [leftName, rightName].find((name) => !branches.some((each) => each.name === name));
  const actions = (
    <>
      <label className="check-line compare-sync">
        <input type="checkbox" checked={together} onChange={(event) => setTogether(event.target.checked)} />{' '}
        {t('compare.sync')}
      </label>
      <IconButton
        label={t('compare.swap')}
        onClick={() =>
          void navigate({
            to: '/p/$projectId/compare/$left/$right',
            params: { projectId, left: rightName, right: leftName },
          })
        }
      >
        <SwapIcon />
      </IconButton>
    </>
  );
  return (
    <Page title={t('compare.title')} about={`${leftName} / ${rightName}`} actions={actions}>
      {graph.isError ? <Problem message={graph.error.message} /> : null}
      {graph.isPending ? <PanelSkeleton shape="columns" failures={graph.failureCount} /> : null}
      {missing === undefined ? null : (
        <div className="welcome">
          <Problem message={t('error.branch', { name: missing })} />
          <Link to="/p/$projectId" params={{ projectId }} className="button">
            {t('compare.back')}
          </Link>
        </div>
      )}
      {shared === null || left === null || right === null ? null : (
        <>
          <p className="compare-common">
            {shared.size === 0
              ? t('compare.none')
              : t('compare.common', { count: messagesIn(data?.nodes ?? [], shared) })}
          </p>
          <div className="compare">
            {([left, right] as const).map((branch, side) => (
              <section key={`${side} ${branch.id}`} aria-label={branch.name}>
                <h2>
                  <span className="dot" style={{ background: branchColour(branch.color, branches.indexOf(branch)) }} />
                  <Link to="/p/$projectId/b/$branch" params={{ projectId, branch: branch.name }}>
                    {branch.name}
                  </Link>
                  <small>{branch.model}</small>
                </h2>
                <Column
                  projectId={projectId}
                  branch={branch}
                  shared={shared}
                  scroll={side === 0 ? scroll.left : scroll.right}
                />
              </section>
            ))}
          </div>
        </>
      )}
    </Page>
  );
}
