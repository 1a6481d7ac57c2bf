import { branchId, nodeId, projectId } from '@bough/core';
import type { Branch } from '@bough/core';
import type { Graph, GraphNode } from '@bough/store';
import { describe, expect, it } from 'vitest';
import { outlineOf } from './index.ts';

const node = (id: string, parentId: string | null, more: Partial<GraphNode> = {}): GraphNode => ({
  id: nodeId(id),
  parentId: parentId === null ? null : nodeId(parentId),
  turnId: null,
  role: 'user',
  createdOnBranch: null,
  isError: false,
  interrupted: false,
  modelUsed: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const branch = (name: string, tipId: string, hidden = false): Branch => ({
  id: branchId(name),
  projectId: projectId('p'),
  name,
  tipId: nodeId(tipId),
  forkedFromId: null,
  envelope: { provider: 'p', model: 'm', systemPrompt: null, tools: [], thinking: 'off' },
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden,
  color: null,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const line = (start: string, count: number, parent: string | null = null): GraphNode[] =>
  Array.from({ length: count }, (_, at) => node(`${start}${at}`, at === 0 ? parent : `${start}${at - 1}`));
const outline = (graph: Graph, more: { limit?: number; tip?: string; open?: readonly string[] } = {}) =>
  outlineOf(graph, {
    limit: more.limit ?? 2_000,
    tip: more.tip === undefined ? null : nodeId(more.tip),
    open: (more.open ?? []).map(nodeId),
  });
const short = (made: ReturnType<typeof outline>) =>
  made.map(({ id, parentId, run, below, leadsTo }) => [id, parentId, run, below, leadsTo]);

/** Three thousand messages in one line, a side line of twenty after the hundredth. */
const FORKED: Graph = {
  nodes: [...line('a', 3_000), ...line('b', 20, 'a100')],
  branches: [branch('main', 'a2999'), branch('side', 'b19')],
};

describe('an outline', () => {
  it('EN-270: straight runs are one node each; forks, ends and errors are shown', () => {
    expect(short(outline(FORKED))).toEqual([
      ['a0', null, 100, 0, 'main'],
      ['a100', 'a0', 1, 0, 'main'],
      ['a101', 'a100', 2_898, 0, 'main'],
      ['a2999', 'a101', 1, 0, 'main'],
      ['b0', 'a100', 19, 0, 'side'],
      ['b19', 'b0', 1, 0, 'side'],
    ]);
    const failed = FORKED.nodes.map((each) => (each.id === 'a1500' ? { ...each, isError: true } : each));
    expect(short(outline({ ...FORKED, nodes: failed })).map(([id]) => id)).toContain('a1500');
  });

  it('SV-710: a merge and what it brought are shown, as forks are: a line between them has both of its ends', () => {
    const nodes = FORKED.nodes.map((each) => (each.id === 'a1500' ? { ...each, mergedUpTo: nodeId('b10') } : each));
    const made = outline({ ...FORKED, nodes });
    expect(short(made).map(([id]) => id)).toEqual([
      'a0',
      'a100',
      'a101',
      'a1500',
      'a1501',
      'a2999',
      'b0',
      'b10',
      'b11',
      'b19',
    ]);
    expect(made.find(({ id }) => id === 'a1500')?.mergedUpTo).toBe('b10');
  });

  it('EN-270: a run that is opened shows its beginning, and the rest of it is a run again', () => {
    const opened = outline(FORKED, { open: ['a101'] });
    expect(opened.slice(2, 202).map(({ id, run }) => [id, run])).toEqual(
      Array.from({ length: 200 }, (_, at) => [`a${101 + at}`, 1]),
    );
    expect(short(opened).slice(202, 203)).toEqual([['a301', 'a300', 2_698, 0, 'main']]);
    // In the middle of a run: the run ends there.
    expect(short(outline(FORKED, { open: ['a2000'] })).slice(2, 4)).toEqual([
      ['a101', 'a100', 1_899, 0, 'main'],
      ['a2000', 'a101', 1, 0, 'main'],
    ]);
  });

  it('EN-271: what does not fit is left out and counted; the way to what is looked at is there', () => {
    // Every message of a line of a thousand has ten other answers.
    const nodes = line('a', 1_000).flatMap((each, at) => [
      each,
      ...Array.from({ length: 10 }, (_, other) => node(`s${at}.${other}`, each.id)),
    ]);
    const graph: Graph = { nodes, branches: [branch('main', 'a999'), branch('far', 's700.3', true)] };
    const made = outline(graph, { limit: 100, tip: 'a999' });
    expect(made.length).toBeLessThanOrEqual(100);
    expect(made.reduce((sum, { run, below }) => sum + run + below, 0)).toBe(nodes.length);
    expect(made.some(({ id }) => id === 'a999')).toBe(true);
    expect(made[0]).toMatchObject({ id: 'a0', parentId: null });
    const opened = outline(graph, { limit: 1_000, open: ['s700.3'] });
    expect(opened.find(({ id }) => id === 's700.3')).toMatchObject({ parentId: 'a700', leadsTo: 'far' });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('EN-271: any tree, whole in its numbers: seed %i', (seed) => {
    let state = seed * 7_919;
    const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const count = 400 + random(3_000);
    const nodes = Array.from({ length: count }, (_, at) => {
      const parent = at === 0 ? null : random(10) < 8 ? at - 1 : random(at);
      return node(`n${at}`, parent === null ? null : `n${parent}`, { isError: random(50) === 0 });
    });
    const branches = Array.from({ length: 1 + random(20) }, (_, at) => branch(`b${at}`, `n${random(count)}`));
    const tip = branches[0]?.tipId ?? '';
    const open = [`n${random(count)}`, 'nowhere'];
    const made = outline({ nodes, branches }, { limit: 60 + random(400), tip, open });
    const ids = new Set(made.map(({ id }) => id));
    expect(made.reduce((sum, { run, below }) => sum + run + below, 0)).toBe(count);
    for (const { parentId } of made) expect(parentId === null || ids.has(parentId)).toBe(true);
    expect(made.every(({ run, below }) => run >= 1 && below >= 0)).toBe(true);
  });
});
