import { expect, it } from 'vitest';
import { branchTree } from './branch-tree.ts';
import { treeStep } from './tree-keys.ts';

const branch = (id: string, forkedOn: string | null = null) => ({ id, name: id, forkedOn, pinned: false });
const all = [branch('main'), branch('fork', 'main'), branch('deep', 'fork'), branch('other')];
const NONE: ReadonlySet<string> = new Set();

it('WEB-121: arrows move through the tree, open and close it; Home, End and letters jump', () => {
  const items = branchTree(all, all);
  const step = (from: string, key: string) => treeStep(items, from, key, NONE);
  expect(step('main', 'ArrowDown')).toEqual({ goTo: 'fork' });
  expect(step('fork', 'ArrowUp')).toEqual({ goTo: 'main' });
  expect(step('main', 'ArrowUp')).toBeNull();
  expect(step('main', 'ArrowRight')).toEqual({ goTo: 'fork' });
  expect(step('deep', 'ArrowRight')).toBeNull();
  expect(step('fork', 'ArrowLeft')).toEqual({ setOpen: false });
  expect(step('deep', 'ArrowLeft')).toEqual({ goTo: 'fork' });
  expect(step('deep', 'End')).toEqual({ goTo: 'other' });
  expect(step('other', 'Home')).toEqual({ goTo: 'main' });
  expect(step('main', 'D')).toEqual({ goTo: 'deep' });
  expect(step('other', 'm')).toEqual({ goTo: 'main' });
  expect(step('main', ' ')).toBeNull();
  const closed = new Set(['fork']);
  expect(treeStep(branchTree(all, all, closed), 'fork', 'ArrowRight', closed)).toEqual({ setOpen: true });
  expect(treeStep(branchTree(all, all, closed), 'fork', 'ArrowLeft', closed)).toEqual({ goTo: 'main' });
});
