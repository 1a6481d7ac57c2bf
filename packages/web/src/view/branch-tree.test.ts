import { expect, it } from 'vitest';
import { branchTree } from './branch-tree.ts';

const branch = (id: string, forkedOn: string | null = null, pinned = false) => ({ id, forkedOn, pinned });
const drawn = (...args: Parameters<typeof branchTree<ReturnType<typeof branch>>>) =>
  branchTree(...args).map((item) => `${'-'.repeat(item.level - 1)}${item.branch.id}`);

it('WEB-120: every branch is below the one that it was forked on, pinned ones first among their siblings', () => {
  const all = [branch('main'), branch('a', 'main'), branch('b'), branch('a1', 'a'), branch('c', 'main', true)];
  expect(drawn(all, all)).toEqual(['main', '-c', '-a', '--a1', 'b']);
  expect(drawn(all, all, new Set(['main']))).toEqual(['main', 'b']);
  expect(branchTree(all, all)[2]).toMatchObject({ parentId: 'main', hasChildren: true, place: 2, siblings: 2 });
});

it('WEB-120: where the branch above is not shown, the nearest shown one stands in', () => {
  const all = [branch('main'), branch('a', 'main'), branch('a1', 'a'), branch('a2', 'a1'), branch('x', 'deleted')];
  const only = (...ids: readonly string[]) => all.filter(({ id }) => ids.includes(id));
  expect(drawn(only('main', 'a2', 'x'), all)).toEqual(['main', '-a2', 'x']);
  expect(drawn(only('a2'), all)).toEqual(['a2']);
});

it('WEB-120: branches that are forks of each other are all shown, and a chain of thousands is no problem', () => {
  const circle = [branch('a', 'b'), branch('b', 'a'), branch('c', 'a')];
  expect(drawn(circle, circle).toSorted()).toEqual(['a', 'b', 'c']);
  const chain = Array.from({ length: 3_000 }, (_, at) => branch(`b${at}`, at === 0 ? null : `b${at - 1}`));
  expect(branchTree(chain, chain).at(-1)).toMatchObject({ level: 3_000 });
});
