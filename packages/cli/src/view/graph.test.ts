import type { GraphView } from '@bough/api';
import { expect, it } from 'vitest';
import { graphText } from './graph.ts';

type GraphNode = GraphView['nodes'][number];

const node = (id: string, parentId: string | null, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  parentId,
  turnId: null,
  role: 'user',
  branchId: null,
  isError: false,
  interrupted: false,
  modelUsed: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

it('CLI-115: an outline says what its lines stand for, and what is left out', () => {
  const nodes = [node('aaaaaaaa', null, { run: 100 }), node('bbbbbbbb', 'aaaaaaaa', { run: 1, below: 7 })];
  expect(graphText({ skipped: 0, total: 108, lastId: null, nodes, branches: [] })).toBe(
    'U aaaaaaaa and 99 more in a line\nU bbbbbbbb (7 below)\n',
  );
});

it('CLI-8: a merge names the last message that it brought', () => {
  const nodes = [
    node('aaaaaaaa', null),
    node('bbbbbbbb', 'aaaaaaaa', { role: 'assistant' }),
    node('cccccccc', 'aaaaaaaa', { mergedUpTo: 'bbbbbbbb' }),
  ];
  expect(graphText({ skipped: 0, total: 3, lastId: null, nodes, branches: [] })).toBe(
    'U aaaaaaaa\n├─ A bbbbbbbb\n├─ U cccccccc brings bbbbbbbb\n',
  );
});
