import type { GraphView } from '@bough/api/client';
import { describe, expect, it } from 'vitest';
import { layoutGraph } from './graph-layout.ts';
import { mergeEnds, mergeLines } from './graph-merges.ts';

const node = (id: string, parentId: string | null, mergedUpTo?: string): GraphView['nodes'][number] => ({
  id,
  parentId,
  branchId: id.slice(0, 1),
  turnId: null,
  role: 'user',
  isError: false,
  interrupted: false,
  modelUsed: null,
  createdAt: '',
  ...(mergedUpTo === undefined ? {} : { mergedUpTo }),
});
const line = (start: string, count: number, parent: string | null) =>
  Array.from({ length: count }, (_, at) => node(`${start}${at}`, at === 0 ? parent : `${start}${at - 1}`));

describe('merges in the tree', () => {
  it('WEB-713: both ends of a merge stand alone, in runs too; what is gone or left out has no line', () => {
    const nodes = [
      ...line('a', 20, null).map((each) => (each.id === 'a15' ? { ...each, mergedUpTo: 'b12' } : each)),
      ...line('b', 20, 'a2'),
      node('c', 'a19', 'deleted'),
    ];
    expect(mergeEnds(nodes)).toEqual(['a15', 'b12', 'c', 'deleted']);
    const layout = layoutGraph(nodes, { expanded: new Set(), keep: new Set(mergeEnds(nodes)) });
    const lines = mergeLines(nodes, layout).map(({ from, to }) => [from.id, from.count, to.id, to.count]);
    expect(lines).toEqual([['b12', 1, 'a15', 1]]);
  });
});
