import type { GraphView } from '@bough/api/client';
import { describe, expect, it } from 'vitest';
import { stepFrom } from './graph-keys.ts';
import { layoutGraph, LONG_RUN } from './graph-layout.ts';
import { branchTo, parentsOf, pathTo, sharedBy } from './graph-path.ts';

type Node = GraphView['nodes'][number];

const node = (id: string, parentId: string | null, branchId = 'main'): Node => ({
  id,
  parentId,
  branchId,
  turnId: null,
  role: 'user',
  isError: false,
  interrupted: false,
  modelUsed: null,
  createdAt: '',
});
const line = (count: number, prefix = 'n', parent: string | null = null, branchId = 'main'): Node[] =>
  Array.from({ length: count }, (_, index) =>
    node(`${prefix}${index}`, index === 0 ? parent : `${prefix}${index - 1}`, branchId),
  );
const layout = (nodes: readonly Node[], expanded: readonly string[] = [], keep: readonly string[] = []) =>
  layoutGraph(nodes, { expanded: new Set(expanded), keep: new Set(keep) });

describe('layout of the tree', () => {
  it('WEB-8: every node is drawn exactly once, alone or in a run', () => {
    const nodes = [...line(40), ...line(5, 'a', 'n10', 'a'), ...line(30, 'b', 'a2', 'b'), node('orphan', 'gone')];
    const { items } = layout(nodes);
    const drawn = items.flatMap((item) => item.nodes.map(({ id }) => id));
    expect(drawn.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
  });

  it('WEB-8: a long run without forks is one item; its end, where the conversation goes on, stands alone', () => {
    expect(layout(line(100)).items.map((item) => item.nodes.length)).toEqual([99, 1]);
    expect(layout(line(LONG_RUN)).items).toHaveLength(LONG_RUN);
  });

  it('WEB-8: an expanded run shows all of its messages', () => {
    expect(layout(line(100), ['n0']).items).toHaveLength(100);
  });

  it('WEB-8: tips of branches are never folded away', () => {
    expect(layout(line(100), [], ['n50']).itemOf.get('n50')?.nodes).toHaveLength(1);
  });

  it('WEB-8: a branch keeps its lane; what forks from it stands below the fork, one lane to the right', () => {
    const { items, lanes } = layout([
      ...line(4),
      ...line(2, 'a', 'n1', 'a'),
      node('c', 'a0', 'c'),
      node('b', 'n2', 'b'),
    ]);
    expect(items.map(({ id, lane }) => `${id} ${lane}`)).toEqual([
      'n0 0',
      'n1 0',
      'a0 1',
      'c 2',
      'a1 1',
      'n2 0',
      'b 1',
      'n3 0',
    ]);
    expect(lanes).toBe(3);
  });

  it('WEB-8: every item has a row of its own, below its parent, and no lane runs past something to its right', () => {
    const nodes = Array.from({ length: 500 }, (_, index) =>
      node(`${index}`, index === 0 ? null : `${Math.floor((index * 7919) % index)}`, `${index % 5}`),
    );
    const { items } = layout(nodes);
    for (const [row, item] of items.entries()) {
      expect(item.row).toBe(row);
      const { parent } = item;
      if (parent === null) continue;
      expect(parent.row).toBeLessThan(row);
      const between = items.slice(parent.row + 1, row);
      if (parent.lane === item.lane) for (const other of between) expect(other.lane).toBeGreaterThan(item.lane);
    }
  });

  it('WEB-8: ten thousand messages in one line are laid out, folded and expanded', () => {
    expect(layout(line(10_000)).items).toHaveLength(2);
    expect(layout(line(10_000), ['n0']).items).toHaveLength(10_000);
  });
});

describe('ways through the tree', () => {
  const nodes = [...line(4), ...line(2, 'a', 'n1', 'a')];
  const branch = (id: string, tipId: string) =>
    ({ id, name: id, tipId, hidden: false }) as GraphView['branches'][number];
  const graph: GraphView = {
    skipped: 0,
    total: nodes.length,
    lastId: null,
    nodes,
    branches: [branch('main', 'n3'), branch('a', 'a1')],
  };

  it('WEB-9: a message is shown on the current branch if that leads to it, else on the one that it was made on', () => {
    expect(branchTo(graph, 'n0', { id: 'a' })?.id).toBe('a');
    expect(branchTo(graph, 'n3', { id: 'a' })?.id).toBe('main');
    expect(branchTo({ ...graph, branches: [branch('main', 'n3')] }, 'a1', { id: 'main' })).toBeNull();
  });

  it('WEB-9: arrow keys follow the current path and cross between forks', () => {
    const drawn = layout(nodes);
    const path = pathTo('a1', parentsOf(nodes));
    const from = (id: string, key: string): string | undefined => {
      const item = drawn.itemOf.get(id);
      return item === undefined ? undefined : stepFrom(item, key, drawn, ({ id: each }) => path.has(each))?.id;
    };
    expect(from('n1', 'ArrowDown')).toBe('a0');
    expect(from('a0', 'ArrowUp')).toBe('n1');
    expect(from('a0', 'ArrowLeft')).toBe('n2');
    expect(from('n2', 'ArrowRight')).toBe('a0');
    expect(from('n3', 'ArrowRight')).toBe('a0');
    expect(from('a1', 'ArrowLeft')).toBe('n2');
    expect(from('a1', 'ArrowRight')).toBeUndefined();
    expect(from('n0', 'End')).toBe('a1');
    expect(from('n0', 'ArrowUp')).toBeUndefined();
  });

  it('WEB-13: what two branches share ends at their fork', () => {
    expect([...sharedBy('n3', 'a1', parentsOf(nodes))].toSorted()).toEqual(['n0', 'n1']);
  });

  it('WEB-276: of an outline, a branch that leads to a message is named by it', () => {
    const outline: GraphView = {
      ...graph,
      total: 500,
      nodes: nodes.map((node) => ({ ...node, run: 1, below: 0, leadsTo: node.id.startsWith('a') ? 'a' : null })),
    };
    expect(branchTo(outline, 'n0', { id: 'main' })?.id).toBe('main');
    expect(branchTo(outline, 'a1', { id: 'main' })?.id).toBe('a');
    expect(branchTo(outline, 'n3', { id: 'a' })).toBeNull();
  });
});

describe('an outline', () => {
  it('WEB-275: what stands for many messages is one point, and what is left out another one that opens it', () => {
    const [first, second, third] = line(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.');
    const nodes = [{ ...first, run: 300 }, { ...second, below: 40 }, third];
    const { items } = layoutGraph(nodes, { expanded: new Set(), keep: new Set() });
    expect(items.map(({ id, count, after }) => [id, count, after])).toEqual([
      [first.id, 300, null],
      [second.id, 1, null],
      [`${second.id}…`, 40, second.id],
      [third.id, 1, null],
    ]);
    // The conversation goes on in its own lane, what is left out is beside it.
    expect(items.map(({ lane }) => lane)).toEqual([0, 0, 1, 0]);
  });
});
