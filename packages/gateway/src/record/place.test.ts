import type { Branch, NodeId, Role, TreeNode } from '@bough/core';
import { branchId, createNode, nodeId, projectId, replyLikeness, turnId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import type { ClientBody, ClientPart } from '../dialect.ts';
import type { Asked, Found, Placing } from './place.ts';
import { place, placeBeside } from './place.ts';
import type { Said } from './trail.ts';
import { trailsOf } from './trail.ts';

const LOCK = { provider: 'anthropic', model: 'claude' };
const AT = '2026-01-01T00:00:00.000Z';

/** A client's history: one line per part; a part that begins with `+` belongs to the message before. */
function said(...lines: readonly (readonly [Role | `+${Role}`, string])[]): readonly Said[] {
  const messages: { parts: ClientPart[] }[] = [];
  for (const [who, text] of lines) {
    const role = who.replace('+', '') as Role;
    const [words = '', ...calls] = text.split(' → ');
    const blocks =
      role === 'assistant'
        ? [
            { type: 'text', text: words },
            ...calls.map((name, at) => ({ type: 'tool-use', id: `${name}_${at}`, name, parameters: {} })),
          ]
        : [{ type: 'text', text: words }];
    const part: ClientPart = {
      role,
      blocks,
      files: [],
      likeness: role === 'assistant' ? replyLikeness(blocks) : words,
      ...(role === 'tool' ? { toolCallId: calls[0] ?? 'unknown' } : {}),
    };
    if (who.startsWith('+')) messages.at(-1)?.parts.push(part);
    else messages.push({ parts: [part] });
  }
  const body = { system: ['You are.'], tools: [{}], providerTools: [], messages } as unknown as ClientBody;
  return trailsOf(body, 'session');
}

const asked = (parts: readonly Said[], over: Partial<Asked> = {}): Asked => ({
  said: parts,
  lock: LOCK,
  systemPrompt: 'You are.',
  isBeside: false,
  ...over,
});

/** The stored history: a node per part, in turns that begin with each person's message. */
function stored(parts: readonly Said[]): readonly TreeNode[] {
  let parentId: NodeId | null = null;
  let turn = 0;
  return parts.map((part, at) => {
    if (part.role === 'user') turn += 1;
    const node: TreeNode = createNode({
      id: nodeId(`n${at}`),
      projectId: projectId('p'),
      parentId,
      role: part.role,
      contentBlocks: part.blocks,
      toolCallId: part.role === 'tool' ? (part.toolCallId ?? 'x') : null,
      turnId: turnId(`t${turn}`),
      createdOnBranch: branchId('b'),
      trail: part.trail,
      createdAt: AT,
    });
    parentId = node.id;
    return node;
  });
}

const branchAt = (tip: NodeId | null, over: Partial<Branch> = {}): Branch => ({
  id: branchId('b'),
  projectId: projectId('p'),
  name: 'main',
  tipId: tip,
  forkedFromId: null,
  envelope: { ...LOCK, systemPrompt: 'You are.', tools: [], thinking: 'off' },
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden: false,
  color: null,
  recorded: { client: 'c', session: 'session', kind: 'main', beside: null, because: null },
  createdAt: AT,
  ...over,
});

/** What the conductor reads: the longest stored part of a history, its branch, the branch's last turn. */
function found(nodes: readonly TreeNode[], parts: readonly Said[], over: Partial<Found> = {}): Found {
  const trails = parts.map(({ trail }) => trail).toReversed();
  const trail = trails.find((each) => nodes.some((node) => node.trail === each));
  const matched = nodes.findLast((node) => node.trail === trail) ?? null;
  const tip = nodes.at(-1);
  const lastTurn =
    tip === undefined || tip.id === matched?.id ? [] : nodes.filter(({ turnId: id }) => id === tip.turnId);
  return { matched, branch: matched === null ? null : branchAt(tip?.id ?? null), lastTurn, main: null, ...over };
}

const shape = ({ branch, isNewBranch, parentId, goesOn, messages }: Placing): object => ({
  branch: 'id' in branch ? branch.name : { because: branch.because, kind: branch.kind, from: branch.forkedFrom },
  isNewBranch,
  parentId,
  goesOn,
  messages: messages.map(({ said: { role }, turn }) => [role, turn]),
});

const planned = (history: readonly Said[], request: readonly Said[], over: Partial<Found> = {}): object => {
  const nodes = stored(history);
  return shape(place(asked(request), found(nodes, request, over)));
};

const HELLO = [
  ['user', 'Hello?'],
  ['assistant', 'Hi.'],
] as const;
const TWO_TURNS = [...HELLO, ['user', 'And?'], ['assistant', 'Nothing.']] as const;
const CALLING = [
  ['user', 'List.'],
  ['assistant', 'I look. → ls'],
] as const;

describe('going on', () => {
  it('GW-21: the next message of a person begins a turn at the end of the branch', () => {
    expect(planned(said(...HELLO), said(...HELLO, ['user', 'And?']))).toEqual({
      branch: 'main',
      isNewBranch: false,
      parentId: 'n1',
      goesOn: null,
      messages: [['user', 'this']],
    });
  });

  it('GW-21: the results of tools go on with the turn of their calls, with what the client says around them', () => {
    const request = said(...CALLING, ['tool', 'a.ts → ls_0'], ['+user', 'Tool loaded.']);
    expect(planned(said(...CALLING), request)).toEqual({
      branch: 'main',
      isNewBranch: false,
      parentId: 'n1',
      goesOn: { turnId: 't1', endedAs: 'complete' },
      messages: [
        ['tool', 'this'],
        ['user', 'this'],
      ],
    });
  });

  it('GW-21: results that come with the next message of a person stay with their turn; the message begins another', () => {
    const request = said(...CALLING, ['tool', 'a.ts → ls_0'], ['user', 'Never mind.']);
    expect(planned(said(...CALLING), request)).toMatchObject({
      branch: 'main',
      goesOn: null,
      messages: [
        ['tool', 't1'],
        ['user', 'this'],
      ],
    });
  });

  it('GW-21: instructions that a client puts around a message belong to its turn', () => {
    const request = said(...HELLO, ['system', 'Be brief.'], ['user', 'And?'], ['system', 'Environment.']);
    expect(planned(said(...HELLO), request)).toMatchObject({
      messages: [
        ['system', 'this'],
        ['user', 'this'],
        ['system', 'this'],
      ],
    });
  });

  it('GW-21: a result that names none of the calls before it answers the one at its place', () => {
    const history = said(['user', 'List.'], ['assistant', 'I look. → ls → cat']);
    const request = said(['user', 'List.'], ['assistant', 'I look. → ls → cat'], ['tool', 'a → x'], ['+tool', 'b → y']);
    const { messages } = place(asked(request), found(stored(history), request));
    expect(messages.map(({ toolCallId }) => toolCallId)).toEqual(['ls_0', 'cat_1']);
  });
});

describe('asked again', () => {
  const history = said(['user', 'Hello?']);
  const failed = (over: Partial<TreeNode>): readonly TreeNode[] => {
    const nodes = stored(said(...HELLO));
    return nodes.map((node, at) => {
      const { trail: _, ...reply } = node;
      return at === 0 ? node : { ...reply, ...over };
    });
  };
  const again = (nodes: readonly TreeNode[], request = history): object =>
    shape(place(asked(request), found(nodes, request)));

  it.each<[string, Partial<TreeNode>, string]>([
    ['an error', { isError: true }, 'error'],
    ['an interruption', { interrupted: true }, 'interrupted'],
    ['a reply without a word', { contentBlocks: [] }, 'interrupted'],
  ])('GW-22: the same request after %s goes on with its turn', (_, over, endedAs) => {
    expect(again(failed(over))).toEqual({
      branch: 'main',
      isNewBranch: false,
      parentId: 'n0',
      goesOn: { turnId: 't1', endedAs },
      messages: [],
    });
  });

  it('GW-22: the same request after a reply that broke off and its error does, too', () => {
    const [user, partial] = failed({ interrupted: true }) as [TreeNode, TreeNode];
    const error = { ...partial, id: nodeId('n2'), parentId: partial.id, isError: true };
    expect(again([user, partial, error])).toMatchObject({ parentId: 'n0', goesOn: { turnId: 't1', endedAs: 'error' } });
  });

  it('GW-22: another message after an error is said at the same place, not on a branch of its own', () => {
    const request = said(['user', 'Hello?'], ['user', 'Anybody?']);
    expect(again(failed({ isError: true }), request)).toMatchObject({
      branch: 'main',
      parentId: 'n0',
      goesOn: null,
      messages: [['user', 'this']],
    });
  });

  it('GW-22: the same request after a whole reply is a reply beside it', () => {
    expect(again(stored(said(...HELLO)))).toMatchObject({
      branch: { because: 'regenerated', kind: 'main', from: 'n0' },
      parentId: 'n0',
      goesOn: null,
      messages: [],
    });
  });

  it('GW-22: a history that ends with the reply asks for more of it, in a turn at the same place', () => {
    expect(planned(said(...HELLO), said(...HELLO))).toMatchObject({ branch: 'main', parentId: 'n1', goesOn: null });
  });
});

describe('forks', () => {
  it.each<[string, readonly (readonly [Role, string])[], string, string]>([
    ['another last message: edited', [...HELLO, ['user', 'Or?']], 'edited', 'n1'],
    [
      'another reply than the stored one: rewound',
      [
        ['user', 'Hello?'],
        ['assistant', 'Ho.'],
        ['user', 'And?'],
      ],
      'rewound',
      'n0',
    ],
  ])('GW-23: %s', (_, lines, because, from) => {
    expect(planned(said(...TWO_TURNS), said(...lines))).toMatchObject({
      isNewBranch: true,
      branch: { because, kind: 'main', from },
      parentId: from,
    });
  });

  it('GW-23: what follows the place where three turns were taken back', () => {
    const history = said(...TWO_TURNS, ['user', 'More?'], ['assistant', 'No.']);
    expect(planned(history, said(...HELLO, ['user', 'Or?']))).toMatchObject({
      branch: { because: 'rewound', from: 'n1' },
    });
  });

  it('GW-23: a summary in the place of the history: compacted', () => {
    const summary = 'This session is being continued from a previous conversation that ran out of context.';
    const kept = planned(said(...TWO_TURNS), said(['user', 'Hello?'], ['user', summary]));
    expect(kept).toMatchObject({ branch: { because: 'compacted', from: 'n0' } });
    const nodes = stored(said(...TWO_TURNS));
    const main = branchAt(nodes.at(-1)?.id ?? null);
    const whole = place(asked(said(['user', summary])), { matched: null, branch: null, lastTurn: [], main });
    expect(whole).toMatchObject({ branch: { because: 'compacted', kind: 'main', beside: 'n3', forkedFrom: null } });
  });

  it('GW-23: another model is another branch, at the place where the client switched', () => {
    const request = said(...HELLO, ['user', 'And?']);
    const nodes = stored(said(...HELLO));
    const placing = place(asked(request, { lock: { ...LOCK, model: 'other' } }), found(nodes, request));
    expect(shape(placing)).toMatchObject({ branch: { because: null, from: 'n1' }, messages: [['user', 'this']] });
  });

  it('GW-23: a branch that somebody deleted gives way to another', () => {
    expect(planned(said(...HELLO), said(...HELLO, ['user', 'And?']), { branch: null })).toMatchObject({
      isNewBranch: true,
      branch: { because: null, from: 'n1' },
    });
  });

  it('GW-23: a conversation that somebody went on with in Bough is left to them', () => {
    const request = said(...HELLO, ['user', 'Or?']);
    const nodes = stored(said(...TWO_TURNS)).map((node, at) => {
      const { trail: _, ...own } = node;
      return at < 2 ? node : own;
    });
    expect(shape(place(asked(request), found(nodes, request)))).toMatchObject({
      branch: { because: null, from: 'n1' },
      messages: [['user', 'this']],
    });
  });

  it('GW-23: whoever comes second to a place is put beside it', () => {
    const request = said(...HELLO, ['user', 'And?']);
    const placing = placeBeside(asked(request), found(stored(said(...HELLO)), request));
    expect(shape(placing)).toMatchObject({ isNewBranch: true, parentId: 'n1', messages: [['user', 'this']] });
  });
});

describe('beginnings', () => {
  const nothing: Found = { matched: null, branch: null, lastTurn: [], main: null };

  it('GW-24: a history from before the gateway is kept; its last message begins the turn', () => {
    const request = said(...TWO_TURNS, ['user', 'Now?']);
    expect(shape(place(asked(request), nothing))).toEqual({
      branch: { because: null, kind: 'main', from: null },
      isNewBranch: true,
      parentId: null,
      goesOn: null,
      messages: [
        ['user', null],
        ['assistant', null],
        ['user', null],
        ['assistant', null],
        ['user', 'this'],
      ],
    });
  });

  it('GW-24: a history from before the gateway that ends with results: the turn began with its last message', () => {
    const request = said(...HELLO, ...CALLING, ['tool', 'a → ls_0']);
    expect(shape(place(asked(request), nothing))).toMatchObject({
      messages: [
        ['user', null],
        ['assistant', null],
        ['user', 'this'],
        ['assistant', 'this'],
        ['tool', 'this'],
      ],
    });
  });

  it('GW-25: another conversation of a session that has one is beside it, and says where', () => {
    const main = branchAt(nodeId('tip'));
    const placing = place(asked(said(['user', 'Explore.']), { systemPrompt: 'You explore.' }), { ...nothing, main });
    expect(placing).toMatchObject({ isNewBranch: true, branch: { kind: 'aside', beside: 'tip', name: null } });
  });

  it('GW-25: an agent that asks without tools asks beside its conversation, even before that has begun', () => {
    const title = place(asked(said(['user', 'Write a title.']), { isBeside: true }), nothing);
    expect(title).toMatchObject({ branch: { kind: 'aside', name: null } });
    const first = place(asked(said(['user', 'Hello?'])), nothing);
    expect(first).toMatchObject({ branch: { kind: 'main', name: 'main' } });
  });
});
