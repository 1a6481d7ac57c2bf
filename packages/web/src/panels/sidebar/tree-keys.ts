import type { FocusEvent, KeyboardEvent, RefObject } from 'react';
import { useState } from 'react';
import type { BranchItem } from '../../view/branch-tree.ts';
import { treeStep } from '../../view/tree-keys.ts';

interface TreeState {
  /** Where Tab leads as long as nobody moved. */
  readonly start: string | null;
  readonly closed: ReadonlySet<string>;
  readonly setOpen: (id: string, isOpen: boolean) => void;
}

/** The keyboard in the tree of branches: one Tab leads in, arrows lead around, Enter opens, another Tab to the menu. */
export function useTreeKeys(
  list: RefObject<HTMLElement | null>,
  items: readonly BranchItem<{ readonly id: string; readonly name: string }>[],
  { start, closed, setOpen }: TreeState,
) {
  const [moved, setMoved] = useState<string | null>(null);
  const isThere = (id: string | null): boolean => items.some(({ branch }) => branch.id === id);
  const activeId = isThere(moved) ? moved : isThere(start) ? start : (items[0]?.branch.id ?? null);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { target } = event;
    // Keys in the menu of a row, or in a dialog that it opened, are theirs.
    if (!(target instanceof HTMLElement) || target.getAttribute('role') !== 'treeitem') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      target.querySelector('a')?.click();
      return;
    }
    const at = target.dataset['branch'] ?? activeId;
    const step = treeStep(items, at, event.key, closed);
    if (step === null) return;
    event.preventDefault();
    event.stopPropagation();
    if ('setOpen' in step) {
      if (at !== null) setOpen(at, step.setOpen);
      return;
    }
    // The row is there already. Focused in an effect, a row of the list as it was before could take the focus instead.
    list.current?.querySelector<HTMLElement>(`[data-branch="${CSS.escape(step.goTo)}"]`)?.focus();
  };
  /** Whatever focuses a row, a key or a click: arrows go on from there. */
  const onFocus = (event: FocusEvent<HTMLElement>): void => {
    const row = event.target.closest<HTMLElement>('[data-branch]');
    if (row !== null && list.current?.contains(row) === true) setMoved(row.dataset['branch'] ?? null);
  };
  return { activeId, onKeyDown, onFocus };
}
