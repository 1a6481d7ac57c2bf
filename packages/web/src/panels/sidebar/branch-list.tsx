import type { BranchView } from '@bough/api/client';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { PinIcon } from '../../parts/icons.tsx';
import { branchColour } from '../../view/colour.ts';
import { matches } from '../../view/matches.ts';
import { BranchMenu } from './branch-menu.tsx';

interface BranchListProps {
  readonly projectId: string;
  readonly branches: readonly BranchView[];
  readonly search: string;
}

export function BranchList({ projectId, branches, search }: BranchListProps) {
  const t = useT();
  const { branch: current } = useParams({ strict: false });
  const [showHidden, setShowHidden] = useState(false);
  const coloured = branches.map((branch, index) => ({ branch, colour: branchColour(branch.color, index) }));
  const found = coloured.filter(
    ({ branch }) => matches(branch.name, search) || search === '' || branch.name === current,
  );
  const hidden = found.filter(({ branch }) => branch.hidden && branch.name !== current);
  const shown = found
    .filter((each) => showHidden || !hidden.includes(each))
    .sort((a, b) => Number(b.branch.pinned) - Number(a.branch.pinned));
  return (
    <>
      <ul className="branch-list" aria-label={t('branches.title')}>
        {shown.map(({ branch, colour }) => (
          <li key={branch.id} className="branch-row" data-hidden={branch.hidden ? '' : undefined}>
            <Link
              to="/p/$projectId/b/$branch"
              params={{ projectId, branch: branch.name }}
              aria-current={branch.name === current ? 'page' : undefined}
            >
              <span className="dot" style={{ background: colour }} />
              <span className="branch-name">{branch.name}</span>
              {branch.pinned ? (
                <span className="pin" title={t('branches.pin')}>
                  <PinIcon />
                </span>
              ) : null}
              {branch.runningTurnId === null ? null : (
                <span className="pulse" role="img" aria-label={t('branches.running')} />
              )}
            </Link>
            <BranchMenu projectId={projectId} branch={branch} branches={branches} />
          </li>
        ))}
      </ul>
      {hidden.length === 0 ? null : (
        <button
          type="button"
          className="link-button"
          aria-expanded={showHidden}
          onClick={() => setShowHidden(!showHidden)}
        >
          {t('branches.hidden', { count: hidden.length })}
        </button>
      )}
    </>
  );
}
