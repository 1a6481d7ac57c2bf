import type { BranchView } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/index.ts';
import { ChevronRightIcon, PinIcon } from '../../parts/icons.tsx';
import { ProviderMark } from '../../parts/provider-mark.tsx';
import { useNews } from '../../session/news.ts';
import type { BranchItem } from '../../view/branch-tree.ts';
import { clientLabel, clientName } from '../../view/client-label.ts';
import { ageText } from '../../view/age-text.ts';
import { formatKnownTime } from '../../view/format.ts';
import { BranchMenu } from './branch-menu.tsx';
import { NewsMark } from './news-mark.tsx';

interface BranchRowProps {
  readonly projectId: string;
  readonly item: BranchItem<BranchView>;
  readonly branches: readonly BranchView[];
  readonly colour: string;
  readonly isCurrent: boolean;
  /** Whether the keyboard comes here with Tab. */
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly now: number;
  readonly onToggle: () => void;
}

/** Deeper forks are not indented further: their names would have no room. */
const DEEPEST = 6;

export function BranchRow(props: BranchRowProps) {
  const { projectId, item, branches, colour, isCurrent, isActive, isOpen, now, onToggle } = props;
  const t = useT();
  const { branch, level, hasChildren, place, siblings } = item;
  const news = useNews().get(branch.id)?.kind ?? null;
  const ago = ageText(branch.lastUsedAt, now, t);
  const time = formatKnownTime(branch.lastUsedAt, t.locale);
  return (
    <li
      className="branch-row"
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isCurrent}
      aria-expanded={hasChildren ? isOpen : undefined}
      tabIndex={isActive ? 0 : -1}
      data-branch={branch.id}
      data-hidden={branch.hidden ? '' : undefined}
      style={{ ['--depth' as string]: Math.min(level, DEEPEST) - 1 }}
    >
      {hasChildren ? (
        <button
          type="button"
          className="twisty"
          tabIndex={-1}
          data-open={isOpen ? '' : undefined}
          // The row itself says whether it is open, and the arrow keys do this.
          aria-hidden="true"
          title={isOpen ? t('branches.close') : t('branches.open')}
          onClick={onToggle}
        >
          <ChevronRightIcon />
        </button>
      ) : (
        <span className="twisty" />
      )}
      <Link
        to="/p/$projectId/b/$branch"
        params={{ projectId, branch: branch.name }}
        aria-current={isCurrent ? 'page' : undefined}
        tabIndex={-1}
      >
        <span className="branch-line">
          <span className="dot" style={{ background: colour }} />
          <span className="branch-name">{branch.name}</span>
        </span>
        <span className="branch-about">
          <ProviderMark provider={branch.provider} model={branch.model} />
          {branch.recorded === undefined ? null : (
            <span className="recorded-mark" title={clientLabel(branch.recorded.client, t)}>
              {clientName(branch.recorded.client, t)}
            </span>
          )}
          {time === null ? null : (
            <time dateTime={branch.lastUsedAt} title={time}>
              {ago}
            </time>
          )}
        </span>
        {/* Last, although it is drawn next to the name: what it says comes after what can be read. */}
        <span className="branch-marks">
          {branch.pinned ? (
            <span className="pin" title={t('branches.pin')}>
              <PinIcon />
            </span>
          ) : null}
          {branch.runningTurnId === null || news === 'waiting' ? null : (
            <span className="pulse" role="img" aria-label={t('branches.running')} />
          )}
          <NewsMark kind={news} />
        </span>
      </Link>
      <BranchMenu projectId={projectId} branch={branch} branches={branches} isReachable={isActive} />
    </li>
  );
}
