import type { BranchItem } from './branch-tree.ts';

type Item = BranchItem<{ readonly id: string; readonly name: string }>;

/** What a key does in the tree: go to a branch, or open or close the one that has the focus. Null: nothing. */
export type TreeStep = { readonly goTo: string } | { readonly setOpen: boolean } | null;

/** The keys of a tree as people know them from their file managers. */
export function treeStep(
  items: readonly Item[],
  activeId: string | null,
  key: string,
  closed: ReadonlySet<string>,
): TreeStep {
  const at = items.findIndex(({ branch }) => branch.id === activeId);
  const item = items[at];
  const go = (to: Item | undefined): TreeStep => (to === undefined ? null : { goTo: to.branch.id });
  if (item === undefined) return null;
  const isOpen = item.hasChildren && !closed.has(item.branch.id);
  switch (key) {
    case 'ArrowDown':
      return go(items[at + 1]);
    case 'ArrowUp':
      return go(items[at - 1]);
    case 'Home':
      return go(items[0]);
    case 'End':
      return go(items.at(-1));
    case 'ArrowRight':
      return isOpen ? go(items[at + 1]) : item.hasChildren ? { setOpen: true } : null;
    case 'ArrowLeft':
      return isOpen ? { setOpen: false } : go(items.find(({ branch }) => branch.id === item.parentId));
    default:
      return key.length === 1 && key.trim() !== '' ? go(startingWith(items, at, key)) : null;
  }
}

/** The next one whose name begins with the letter, from the top again after the last. */
function startingWith(items: readonly Item[], at: number, letter: string): Item | undefined {
  const wanted = letter.toLocaleLowerCase();
  return [...items.slice(at + 1), ...items.slice(0, at)].find(({ branch }) =>
    branch.name.toLocaleLowerCase().startsWith(wanted),
  );
}
