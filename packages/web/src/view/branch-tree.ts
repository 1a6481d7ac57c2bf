import type { BranchView } from '@bough/api/client';

export interface BranchItem<Branch> {
  readonly branch: Branch;
  /** 1 for a branch that was forked from none of those shown. */
  readonly level: number;
  readonly parentId: string | null;
  readonly hasChildren: boolean;
  /** Its place among its siblings, from 1 on. */
  readonly place: number;
  readonly siblings: number;
}

type Forked = Pick<BranchView, 'id' | 'forkedOn' | 'pinned'>;

/**
 * The branches in the order of a tree, each below the branch that it was forked on. Where that one is not shown, the
 * nearest shown one above it stands in. Pinned ones come first among their siblings. What is below a closed branch is
 * left out. Without recursion: a chain of forks may be as long as anybody makes it.
 */
export function branchTree<Branch extends Forked>(
  shown: readonly Branch[],
  all: readonly Forked[],
  closed: ReadonlySet<string> = new Set(),
): readonly BranchItem<Branch>[] {
  const forkedOn = new Map(all.map(({ id, forkedOn: on }) => [id, on]));
  const isShown = new Set<string>(shown.map(({ id }) => id));
  const below = new Map<string | null, Branch[]>();
  for (const branch of shown) {
    const parent = nearestShown(branch.id, forkedOn, isShown);
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [branch]);
    else siblings.push(branch);
  }
  const items: BranchItem<Branch>[] = [];
  const childrenOf = (id: string | null, level: number) => {
    const children = (below.get(id) ?? []).toSorted((a, b) => Number(b.pinned) - Number(a.pinned));
    return children.map((branch, index) => ({
      branch,
      level,
      parentId: id,
      hasChildren: below.has(branch.id),
      place: index + 1,
      siblings: children.length,
    }));
  };
  const waiting: BranchItem<Branch>[] = childrenOf(null, 1).reverse();
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    items.push(item);
    if (!closed.has(item.branch.id)) waiting.push(...childrenOf(item.branch.id, item.level + 1).reverse());
  }
  return items;
}

/** Null at the top, and for branches that a damaged file made forks of each other: they would be below themselves. */
function nearestShown(
  id: string,
  forkedOn: ReadonlyMap<string, string | null>,
  isShown: ReadonlySet<string>,
): string | null {
  const passed = new Set([id]);
  let found: string | null = null;
  for (let above = forkedOn.get(id) ?? null; above !== null; above = forkedOn.get(above) ?? null) {
    if (passed.has(above)) return null;
    passed.add(above);
    if (found === null && isShown.has(above)) found = above;
  }
  return found;
}
