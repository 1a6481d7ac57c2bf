import { anyTree, sketch, SKETCH_PROJECT } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreeNode, Turn } from '../entities/index.ts';
import { turnId } from '../entities/index.ts';
import { backfillTurns } from './backfill.ts';
import { getMessageGroups } from './groups.ts';
import { timelineOf } from './timeline.ts';

const turn = (id: string, isThinkingMode: boolean): Turn => ({
  id: turnId(id),
  projectId: SKETCH_PROJECT,
  branchId: null,
  isThinkingMode,
  status: 'complete',
  createdAt: '',
});

describe('timelineOf', () => {
  it('TU-1: lists thoughts, calls with their results and texts in order, over all nodes of the reply', () => {
    const reply = sketch(`
      a1 assistant claude/opus: [think! hm] [redacted] Looking. [custom citation] [call c1 search {"q":"x"}] [call c2 search]
      t2 tool c2: second
      t1 tool c1: first
      a2 assistant claude/opus: [signature] Done.
    `);
    expect(timelineOf(reply)).toMatchObject([
      { type: 'think', text: 'hm', redacted: false, nodeId: 'a1' },
      { type: 'think', text: '', redacted: true },
      { type: 'text', text: 'Looking.' },
      { type: 'tool', id: 'c1', parameters: { q: 'x' }, result: { nodeId: 't1', content: 'first' } },
      { type: 'tool', id: 'c2', result: { content: 'second' } },
      { type: 'text', text: 'Done.', nodeId: 'a2' },
    ]);
  });

  it('TU-1: reasoning that is hidden has its place before what was said', () => {
    const [said] = sketch('a1 assistant openai/gpt: Done.');
    if (said === undefined) throw new Error('There is one node.');
    const hidden = { ...said, thinking: { availability: 'none', truncated: false } as const };
    expect(timelineOf([hidden])).toMatchObject([
      { type: 'think', text: '', redacted: false, nodeId: 'a1' },
      { type: 'text', text: 'Done.' },
    ]);
  });

  it('TU-1: a call without a result has none, and an error reply is marked', () => {
    const [called, failed] = timelineOf(
      sketch(`
      a1 assistant claude/opus: [call c1 search]
      a2 assistant claude/opus !error: The provider did not answer.
    `),
    );
    expect(called).toMatchObject({ type: 'tool', result: null });
    expect(failed).toMatchObject({ type: 'text', isError: true });
  });
});

describe('getMessageGroups', () => {
  const path = sketch(`
    s system: be kind
    u1 user turn=one: hello
    a1 assistant claude/opus turn=two: [think hm] hi
    u2 user turn=three: again
    u3 user turn=four: really
    a3 assistant claude/opus turn=four: [think hm] yes
  `);
  const groups = getMessageGroups(path, [turn('one', false), turn('two', true), turn('four', false)]);

  it('TU-2: each user message opens a group; what stands before the first has a group without one', () => {
    expect(groups.map((group) => [group.user?.id ?? null, group.reply.map((node) => node.id)])).toEqual([
      [null, ['s']],
      ['u1', ['a1']],
      ['u2', []],
      ['u3', ['a3']],
    ]);
  });

  it('TU-3: a reply that was generated again brings its own turn', () => {
    expect(groups.map((group) => group.turnId)).toEqual([null, 'two', 'three', 'four']);
  });

  it('TU-3: so does one below instructions that came with the message', () => {
    const nodes = sketch(`
      u user: hello
      s system: be kind
      a assistant claude/opus: again
    `).map((node, at): TreeNode => ({ ...node, turnId: turnId(at < 2 ? 'one' : 'two') }));
    const regenerated = getMessageGroups(nodes, [turn('one', false), turn('two', false)]);
    expect(regenerated.map((group) => group.turnId)).toEqual(['two']);
  });

  it('TU-4: the stored mode decides, not the content; only without a stored turn it is inferred', () => {
    expect(groups[1]?.segments.map((segment) => segment.kind)).toEqual(['reasoning', 'reply']);
    expect(groups[3]?.segments.map((segment) => segment.kind)).toEqual(['reply']);
    const old = getMessageGroups(path, []);
    expect(old[3]?.isThinkingMode).toBe(true);
  });
});

describe('backfillTurns', () => {
  const newTurn = (user: TreeNode) => turnId(`turn of ${user.id}`);

  it('TU-5: a user message opens a turn that takes everything below it until the next one, on every branch', () => {
    const nodes = sketch(`
      s system: be kind
      u1 user: hello
      a1 assistant claude/opus: [call c1 search]
      t1 tool c1: found
      a2 assistant claude/opus: [think hm] done
      u2 user: next
      a1b < u1 assistant claude/opus !interrupted: other
      a2b < u2 assistant claude/opus !error: failed
    `);
    const { turns, assignments } = backfillTurns(SKETCH_PROJECT, nodes, newTurn);
    expect(Object.fromEntries(assignments)).toEqual({
      u1: 'turn of u1',
      a1: 'turn of u1',
      t1: 'turn of u1',
      a2: 'turn of u1',
      a1b: 'turn of u1',
      u2: 'turn of u2',
      a2b: 'turn of u2',
    });
    expect(turns).toMatchObject([
      { id: 'turn of u1', isThinkingMode: true, status: 'interrupted' },
      { id: 'turn of u2', isThinkingMode: false, status: 'error' },
    ]);
  });

  it('TU-6: nodes that have a turn are left alone, and what follows them stays with them', () => {
    const nodes = sketch(`
      u1 user turn=known: hello
      a1 assistant claude/opus: hi
    `);
    const { turns, assignments } = backfillTurns(SKETCH_PROJECT, nodes, newTurn);
    expect(turns).toEqual([]);
    expect(Object.fromEntries(assignments)).toEqual({ a1: 'known' });
  });

  it('TU-7: an error is a turn that failed, a failed tool is not, and a message without a reply is open to one', () => {
    const nodes = sketch(`
      u1 user: hello
      a1 assistant claude/opus: hi
      u2 user: more
      a2 assistant claude/opus: broken
      u3 user: and?
    `).map((node) => (node.id === 'a2' ? { ...node, isError: true } : node));
    const { turns } = backfillTurns(SKETCH_PROJECT, nodes, newTurn);
    expect(turns.map(({ status }) => status)).toEqual(['complete', 'error', 'interrupted']);
    const [user, reply] = nodes;
    const failed = { ...nodes[1], id: 't1', parentId: reply?.id, role: 'tool', isError: true } as TreeNode;
    const withTool = backfillTurns(
      SKETCH_PROJECT,
      [user, reply, failed].filter((node) => node !== undefined),
      newTurn,
    );
    expect(withTool.turns.map(({ status }) => status)).toEqual(['complete']);
  });

  it('TU-11: what was brought from another branch, and a version of the canvas, begin no turn and are in none', () => {
    const canvas = { type: 'canvas', text: 'Oaks', by: 'person', inContext: false };
    const merge = { type: 'merge', branchId: 'b', branchName: 'b', after: null, upTo: 'x', by: 'answer', nodeIds: [] };
    const nodes = sketch(`
      u1 user: hello
      a1 assistant claude/opus: hi
      v1 user: [The canvas reads: Oaks]
      m1 user: Brought
      a2 assistant claude/opus: pinned
      u2 user: more
      a3 assistant claude/opus: sure
    `).map((node): TreeNode => {
      const beside = node.id === 'v1' ? [canvas] : node.id === 'm1' ? [merge] : [];
      return { ...node, contentBlocks: [...node.contentBlocks, ...beside] };
    });
    const { turns, assignments } = backfillTurns(SKETCH_PROJECT, nodes, newTurn);
    expect(turns.map(({ status }) => status)).toEqual(['complete', 'complete']);
    const [first, second] = turns.map(({ id }) => id);
    expect(Object.fromEntries(assignments)).toEqual({ u1: first, a1: first, a2: first, u2: second, a3: second });
  });

  it('TU-7: over any tree, every node below a user message gets exactly one turn', () => {
    fc.assert(
      fc.property(anyTree, (nodes) => {
        const { assignments, turns } = backfillTurns(SKETCH_PROJECT, nodes, newTurn);
        expect(turns).toHaveLength(nodes.filter((node) => node.role === 'user').length);
        for (const node of nodes) {
          const parentTurn = node.parentId === null ? undefined : assignments.get(node.parentId);
          expect(assignments.get(node.id)).toBe(node.role === 'user' ? newTurn(node) : parentTurn);
        }
      }),
    );
  });
});
