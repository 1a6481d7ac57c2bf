import type { BranchView, NodeView, TrashEntryView } from '@bough/api';
import type { LineBody, NodeId, StreamLine, TurnId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { compareConversation, compareNotes } from './compare.ts';
import type { Place, Promised } from './notes.ts';
import { randomFrom } from './random.ts';
import { SeenTurn } from './seen-turn.ts';
import type { Stored } from './stored.ts';

const USAGE = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 };
const LINES: readonly LineBody[] = [
  { type: 'turn', turnId: 't1' as TurnId, branch: 'main', isThinkingMode: true, userNodeId: 'u1' as NodeId },
  { type: 'node', nodeId: 'r1' as NodeId, model: 'm' },
  { type: 'thinking', content: 'Hm. ' },
  { type: 'thinking', content: 'Well.', append: true },
  { type: 'text', content: 'Let me look.' },
  { type: 'tool_call', id: 'c1', name: 'quick', parameters: {} },
  { type: 'usage', usage: USAGE, cost: 0 },
  { type: 'tool_result', toolCallId: 'c1', content: 'found', isError: false, durationMs: 3 },
  { type: 'error', code: 'overloaded', message: 'Too busy.', retryable: true },
  { type: 'done', status: 'error', stopReason: 'error', nodeIds: ['u1', 'r1', 'x1', 'e1'] as NodeId[] },
];

function node(id: string, parentId: string | null, more: Partial<NodeView>): NodeView {
  return {
    id,
    projectId: 'p',
    parentId,
    turnId: 't1',
    role: 'assistant',
    contentBlocks: [],
    content: '',
    provider: null,
    modelUsed: null,
    toolCallId: null,
    thinking: null,
    isError: false,
    interrupted: false,
    includeThinkingInContext: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    siblingIds: [id],
    ...more,
  };
}

const REPLY_BLOCKS = [
  { type: 'thinking', thinking: 'Hm. Well.' },
  { type: 'text', text: 'Let me look.' },
  { type: 'tool-use', id: 'c1', name: 'quick', parameters: {} },
];
const NODES: readonly NodeView[] = [
  node('u1', null, { role: 'user', content: 'Why?' }),
  node('r1', 'u1', { contentBlocks: REPLY_BLOCKS }),
  node('x1', 'r1', { role: 'tool', toolCallId: 'c1', content: 'found' }),
  node('e1', 'x1', { isError: true, content: 'Too busy.' }),
];
const MAIN = { id: 'b1', name: 'main', tipId: 'e1' } as BranchView;

function stored(nodes: readonly NodeView[], more: Partial<Stored> = {}): Stored {
  const call = { id: 'k1', nodeId: 'r1', provider: 'p', model: 'm', status: 'complete' as const, startedAt: '' };
  return {
    description: null,
    branches: [MAIN],
    nodes: new Map(nodes.map((each) => [each.id, each])),
    statuses: new Map([['t1', 'error']]),
    calls: new Map([
      ['r1', { ...call, firstByteAt: null, endedAt: null, usage: USAGE, cost: 0, money: null, errorCode: null }],
    ]),
    onBranch: new Set(nodes.map(({ id }) => id)),
    trash: [],
    ...more,
  };
}

function seen(lines: readonly StreamLine[] = LINES.map((line, at) => ({ ...line, seq: at + 1 }))) {
  const turn = new SeenTurn({ projectId: 'p', clientRequestId: 'q1', message: 'Why?' });
  turn.acknowledged = true;
  const take = turn.reader(0);
  for (const line of lines) take(line);
  return { projectId: 'p', turns: [turn], branches: new Set(['main']), unanswered: 0, random: randomFrom(1) };
}

const kinds = (nodes: readonly NodeView[], more: Partial<Stored> = {}): readonly string[] =>
  compareConversation(seen(), stored(nodes, more)).map(({ kind }) => kind);
const without = (id: string): readonly NodeView[] => NODES.filter((each) => each.id !== id);
const changed = (id: string, more: Partial<NodeView>): readonly NodeView[] =>
  NODES.map((each) => (each.id === id ? { ...each, ...more } : each));

describe('the comparison of what was seen with what is stored', () => {
  it('EN-25: finds nothing where everything is there', () => {
    expect(kinds(NODES)).toEqual([]);
  });

  it('EN-25: finds what is lost', () => {
    expect(kinds(without('u1'))).toEqual(['message', 'report']);
    expect(kinds(without('r1'))).toContain('reply');
    expect(kinds(without('x1'))).toContain('tool_result');
    expect(kinds(without('e1'))).toContain('report');
    expect(kinds(changed('x1', { content: 'The tool was stopped.' }))).toEqual(['tool_result']);
    expect(kinds(changed('x1', { parentId: 'u1' }))).toContain('tool_result');
    expect(kinds(NODES, { calls: new Map() })).toEqual(['report']);
    expect(kinds(NODES, { statuses: new Map([['t1', 'complete']]) })).toEqual(['report']);
  });

  it('EN-25: of a reply that broke off, what was shown is the beginning', () => {
    const longer = [...REPLY_BLOCKS, { type: 'text', text: ' And there it is.' }];
    const shorter = [{ type: 'thinking', thinking: 'Hm. ' }, ...REPLY_BLOCKS.slice(1)];
    expect(kinds(changed('r1', { contentBlocks: longer, interrupted: true }))).toEqual([]);
    expect(kinds(changed('r1', { contentBlocks: shorter, interrupted: true }))).toEqual(['reply']);
    expect(kinds(changed('r1', { contentBlocks: REPLY_BLOCKS.slice(0, 2) }))).toContain('reply');
  });

  it('EN-26: finds what is doubled', () => {
    const again = node('u2', null, { role: 'user', content: 'Why?', turnId: 't2' });
    expect(kinds([...NODES, again])).toEqual(['doubled', 'doubled']);
    const result = node('x2', 'e1', { role: 'tool', toolCallId: 'c1', content: 'found' });
    expect(kinds([...NODES, result])).toEqual(['doubled']);
    expect(kinds([...NODES, node('r2', 'u1', {})])).toEqual(['doubled']);
    expect(kinds(NODES, { branches: [MAIN, { ...MAIN, id: 'b2', name: 'main again' }] })).toEqual(['doubled']);
  });

  it('EN-26: finds lines that are missing, that changed, and that came behind the end', () => {
    const numbered = LINES.map((line, at): StreamLine => ({ ...line, seq: at + 1 }));
    const problems = (lines: readonly StreamLine[]): number => seen(lines).turns[0]?.problems.length ?? 0;
    expect(problems(numbered)).toBe(0);
    expect(problems(numbered.toSpliced(3, 1))).toBeGreaterThan(0);
    expect(problems([...numbered, { type: 'text', content: 'more', seq: LINES.length + 1 }])).toBe(1);
    const { turns } = seen(numbered);
    const later = turns[0]?.reader(2);
    later?.({ type: 'thinking', content: 'Something else.', seq: 3 });
    expect(turns[0]?.problems).toHaveLength(1);
  });

  it('EN-10: finds a watcher who was told that a turn is complete without having seen all of it', () => {
    const part: readonly LineBody[] = [
      ...LINES.slice(0, 2),
      { type: 'text', content: 'Let me' },
      { type: 'done', status: 'complete', stopReason: 'end_turn', nodeIds: ['u1', 'r1'] as NodeId[] },
    ];
    const whole = NODES.slice(0, 2).map((each) =>
      each.id === 'r1' ? { ...each, contentBlocks: [{ type: 'text', text: 'Let me look.' }] } : each,
    );
    const there = stored(whole, { statuses: new Map([['t1', 'complete']]) });
    const found = compareConversation(seen(part.map((line, at) => ({ ...line, seq: at + 1 }))), there);
    expect(found.map(({ kind }) => kind)).toEqual(['order']);
  });

  it('EN-26: finds a turn that was interrupted without a reason', () => {
    const end: StreamLine = { type: 'done', status: 'interrupted', stopReason: 'interrupted', nodeIds: [], seq: 2 };
    const [begin] = LINES;
    if (begin === undefined) throw new Error('There are no lines.');
    const brokenOff = seen([{ ...begin, seq: 1 }, end]);
    const there = stored(NODES.slice(0, 1), { statuses: new Map([['t1', 'interrupted']]) });
    expect(compareConversation(brokenOff, there).map(({ kind }) => kind)).toEqual(['broken_off']);
  });

  it('EN-25: finds writes that were promised and are gone', () => {
    const notes = {
      conversation: seen(),
      promised: [
        { type: 'message' as const, nodeId: 'n1', content: 'Note 1', place: 'here' as const },
        { type: 'branch' as const, branchId: 'b9', name: 'Note 2', place: 'here' as const },
      ],
      leaves: [],
      descriptions: ['Note 3'],
    };
    expect(compareNotes(notes, stored(NODES)).map(({ kind }) => kind)).toEqual(['message', 'write', 'write']);
    const kept = stored([...NODES, node('n1', 'e1', { turnId: null, content: 'Note 1' })], {
      branches: [MAIN, { ...MAIN, id: 'b9', name: 'Note 2' }],
      description: 'Note 3',
    });
    notes.conversation.branches.add('Note 2');
    expect(compareNotes(notes, kept)).toEqual([]);
  });

  it('EN-25: finds what was deleted and is in neither place, in both, or in the wrong one', () => {
    const leaf = (place: Place): Promised => ({ type: 'message', nodeId: 'n1', content: 'Note 1', place });
    const note = node('n1', 'u1', { turnId: null, content: 'Note 1' });
    const trash = [{ id: 'd1', title: 'Note 1' } as TrashEntryView];
    const found = (place: Place, there: Stored): readonly string[] =>
      compareNotes({ conversation: seen(), promised: [], leaves: [leaf(place)], descriptions: [''] }, there).map(
        ({ kind }) => kind,
      );
    const [nowhere, here, inTrash, both] = [
      stored(NODES),
      stored([...NODES, note]),
      stored(NODES, { trash }),
      stored([...NODES, note], { trash }),
    ];
    expect(found('unsure', nowhere)).toEqual(['message']);
    expect(found('unsure', both)).toEqual(['doubled']);
    expect(found('here', inTrash)).toEqual(['message']);
    expect(found({ trashId: 'd1' }, here)).toEqual(['message']);
    for (const place of ['unsure', 'here'] as const) expect(found(place, here)).toEqual([]);
    for (const place of ['unsure', { trashId: 'd1' }] as const) expect(found(place, inTrash)).toEqual([]);
  });
});
