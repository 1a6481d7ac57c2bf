import type { BranchView } from '@bough/api/client';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { useMinute } from '../../session/now.ts';
import { branchTree } from '../../view/branch-tree.ts';
import { branchColour } from '../../view/colour.ts';
import { matches } from '../../view/matches.ts';
import { BranchRow } from './branch-row.tsx';
import { useTreeKeys } from './tree-keys.ts';

interface BranchListProps {
  readonly projectId: string;
  readonly branches: readonly BranchView[];
  readonly search: string;
}

const NONE: ReadonlySet<string> = new Set();

/** The branches of the open project as a tree: each below the branch that it was forked on. */
export function BranchList({ projectId, branches, search }: BranchListProps) {
  const t = useT();
  const now = useMinute();
  const { branch: current } = useParams({ strict: false });
  const [showHidden, setShowHidden] = useState(false);
  const [closed, setClosed] = useState(NONE);
  const list = useRef<HTMLUListElement>(null);
  const found = branches.filter(({ name }) => matches(name, search) || search === '' || name === current);
  const hidden = found.filter((branch) => branch.hidden && branch.name !== current);
  const shown = found.filter((branch) => showHidden || !hidden.includes(branch));
  const items = branchTree(shown, branches, closed);
  const setOpen = (id: string, isOpen: boolean): void =>
    setClosed((before) => new Set(isOpen ? [...before].filter((each) => each !== id) : [...before, id]));
  const currentId = branches.find(({ name }) => name === current)?.id ?? null;
  // One that was just made, or that a link leads to, stands somewhere among hundreds.
  useEffect(() => {
    if (currentId !== null) bringIntoSight(list.current?.querySelector('[aria-selected="true"]') ?? null);
  }, [currentId]);
  const { activeId, onKeyDown, onFocus } = useTreeKeys(list, items, {
    start: currentId,
    closed,
    setOpen,
  });
  return (
    <>
      <ul
        ref={list}
        className="branch-list"
        role="tree"
        aria-label={t('branches.title')}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        {items.map((item) => (
          <BranchRow
            key={item.branch.id}
            projectId={projectId}
            item={item}
            branches={branches}
            colour={branchColour(item.branch.color, branches.indexOf(item.branch))}
            isCurrent={item.branch.name === current}
            isActive={item.branch.id === activeId}
            isOpen={!closed.has(item.branch.id)}
            now={now}
            onToggle={() => setOpen(item.branch.id, closed.has(item.branch.id))}
          />
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

/** Moves what it scrolls in. Not with `scrollIntoView`: the next Tab would begin here, not at the start of the page. */
function bringIntoSight(row: Element | null): void {
  for (const frame of [row?.closest('.branch-list'), row?.closest('.sidebar-scroll')]) {
    if (row === null || frame === null || frame === undefined) continue;
    const [inner, outer] = [row.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (inner.top < outer.top) frame.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) frame.scrollTop += inner.bottom - outer.bottom;
  }
}
