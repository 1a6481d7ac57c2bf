import type { BranchView, GraphView, HistoryView, MessageGroupView, NodeView } from '@bough/api/client';
import { describe, expect, it } from 'vitest';
import { movedBranches, withGrowth, withNewest, withNewNodes } from './merge-history.ts';

const BRANCH = { id: 'b', name: 'main', tipId: 'r1', runningTurnId: null } as BranchView;
const node = (id: string, parentId: string | null) => ({ id, parentId }) as NodeView;
const group = (number: number, replied = true): MessageGroupView => ({
  turnId: `t${number}`,
  isThinkingMode: false,
  status: 'complete',
  user: node(`u${number}`, number === 1 ? null : `r${number - 1}`),
  reply: replied ? [node(`r${number}`, `u${number}`)] : [],
  segments: [],
  calls: [],
});
const page = (groups: readonly MessageGroupView[], more: Partial<HistoryView> = {}): HistoryView => ({
  branch: BRANCH,
  groups: [...groups],
  hasMore: false,
  hasNewer: false,
  firstNodeId: groups[0]?.user?.id ?? null,
  lastNodeId: groups.at(-1)?.reply.at(-1)?.id ?? null,
  breakNodeId: null,
  ...more,
});
const turnsOf = (merged: HistoryView | null) => merged?.groups.map(({ turnId, reply }) => `${turnId} ${reply.length}`);

describe('the newest turns in a page', () => {
  it('WEB-51: a new turn follows, and one that grew takes its own place', () => {
    const loaded = page([group(1), group(2)], { hasMore: true });
    const begun = withNewest(loaded, page([group(2), group(3, false)], { hasMore: true }));
    expect(turnsOf(begun)).toEqual(['t1 1', 't2 1', 't3 0']);
    const ended = withNewest(begun ?? loaded, page([group(2), group(3)], { hasMore: true }));
    expect(turnsOf(ended)).toEqual(['t1 1', 't2 1', 't3 1']);
    expect(ended).toMatchObject({ firstNodeId: 'u1', lastNodeId: 'r3', hasMore: true });
  });

  it('WEB-51: the first turn fills an empty page', () => {
    expect(turnsOf(withNewest(page([]), page([group(1)])))).toEqual(['t1 1']);
  });

  it('WEB-51: what does not follow is not joined: the page is read again', () => {
    expect(withNewest(page([group(1)]), page([group(4), group(5)]))).toBeNull();
    expect(withNewest(page([group(1), group(2)]), page([]))).toBeNull();
    expect(withNewest(page([group(1)], { hasNewer: true }), page([group(1), group(2)]))).toBeNull();
  });
});

describe('the graph', () => {
  const nodes = (...ids: readonly string[]) => ids.map((id) => ({ id }) as GraphView['nodes'][number]);
  it('WEB-51: new nodes are added to those that are known, and a whole graph takes their place', () => {
    const before: GraphView = { skipped: 0, total: 2, lastId: 'b', nodes: nodes('a', 'b'), branches: [] };
    const fresh = { total: 3, lastId: 'c', nodes: nodes('c') };
    expect(withNewNodes(before, { ...fresh, skipped: 2, branches: [BRANCH] })).toEqual({
      skipped: 0,
      total: 3,
      lastId: 'c',
      nodes: nodes('a', 'b', 'c'),
      branches: [BRANCH],
    });
    expect(withNewNodes(before, { ...fresh, skipped: 0, branches: [] }).nodes).toEqual(nodes('c'));
  });
});

describe('a graph whose branch grew', () => {
  const other = { ...BRANCH, id: 'c', name: 'other' };
  const tree = (...ids: readonly string[]): GraphView => ({
    skipped: 0,
    total: 900,
    lastId: ids.at(-1) ?? null,
    nodes: ids.map((id) => ({ id }) as GraphView['nodes'][number]),
    branches: [other, BRANCH],
  });
  const grown = (tipId: string | null, runningTurnId: string | null = null) => ({
    branch: { ...BRANCH, tipId, runningTurnId },
  });
  const shown = (graph: GraphView | null) => graph?.nodes.map(({ id }) => id);

  it('WEB-51: has its message when a turn begins, and its reply when it ends', () => {
    const begun = withGrowth(tree('u1', 'r1'), page([group(1), group(2, false)], grown('u2', 't2')));
    expect(shown(begun)).toEqual(['u1', 'r1', 'u2']);
    expect(begun).toMatchObject({ total: 901, lastId: 'u2', branches: [other, { tipId: 'u2', runningTurnId: 't2' }] });
    const ended = withGrowth(begun ?? tree(), page([group(1), group(2)], grown('r2')));
    expect(shown(ended)).toEqual(['u1', 'r1', 'u2', 'r2']);
    expect(ended?.nodes.at(-1)).toMatchObject({ parentId: 'u2', branchId: 'b' });
    expect(ended).toMatchObject({ total: 902, branches: [other, { tipId: 'r2', runningTurnId: null }] });
    // A turn that ended before its first word changes where nothing is added.
    expect(withGrowth(ended ?? tree(), page([group(1), group(2)], grown('r2', 't3')))).toMatchObject({ total: 902 });
  });

  it('WEB-51: is read again where that does not follow from what it has', () => {
    // Where the branch ended is in none of the nodes of the outline.
    expect(withGrowth(tree('u1'), page([group(1), group(2)], grown('r2')))).toBeNull();
    // The branch grew by more than was read.
    expect(withGrowth(tree('u1', 'r1'), page([group(3), group(4)], grown('r4')))).toBeNull();
    // It was moved to a message that is there.
    expect(withGrowth(tree('u1', 'r1'), page([group(1, false)], grown('u1')))).toBeNull();
    // Its end is newer than what was read of it.
    expect(withGrowth(tree('u1', 'r1'), page([group(1), group(2)], grown('u3')))).toBeNull();
    expect(withGrowth({ ...tree('u1', 'r1'), branches: [other] }, page([group(1), group(2)], grown('r2')))).toBeNull();
  });
});

describe('branches', () => {
  it('WEB-51: one that only moved is told from one that was changed or made', () => {
    const moved = { ...BRANCH, tipId: 'r2', runningTurnId: 't2' };
    expect(movedBranches([BRANCH], [moved])).toEqual([{ before: BRANCH, after: moved }]);
    expect(movedBranches([BRANCH], [BRANCH])).toEqual([]);
    expect(movedBranches([BRANCH], [{ ...moved, name: 'other' }])).toBeNull();
    expect(movedBranches([BRANCH], [BRANCH, { ...BRANCH, id: 'c' }])).toBeNull();
  });
});
