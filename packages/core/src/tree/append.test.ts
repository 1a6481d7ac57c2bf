import { anyMessage, anyTree, sketch, SKETCH_PROJECT } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeId, TreeNode } from '../entities/index.ts';
import { nodeId } from '../entities/index.ts';
import type { Message } from '../messages/index.ts';
import { messageOf, textMessage } from '../messages/index.ts';
import type { FindChild, Making } from './append.ts';
import { planAppend } from './append.ts';
import { matchKeyOf, messageOfNode } from './node.ts';

function making(prefix = 'new'): Making {
  let count = 0;
  return {
    projectId: SKETCH_PROJECT,
    newId: () => nodeId(`${prefix}${(count += 1)}`),
    now: () => '2026-01-01T00:00:00Z',
  };
}

const childAmong =
  (nodes: readonly TreeNode[]): FindChild =>
  (parent, matchKey) =>
    Promise.resolve(nodes.find((node) => node.parentId === parent && node.matchKey === matchKey) ?? null);

const stored = sketch(`
  u1 user: hello
  a1 assistant claude/opus: [think! hm] hi [call c1 search {"b":1,"a":2}]
  t1 tool c1: found
`);
const append = (parent: NodeId | null, messages: readonly Message[], nodes = stored, prefix?: string) =>
  planAppend(parent, messages, making(prefix), childAmong(nodes));
const user = (text: string) => textMessage('user', text);

describe('planAppend', () => {
  it('TR-8: the longest stored prefix is reused, as it is stored; the rest is new', async () => {
    const history: Message[] = [
      user('  hello\n'),
      messageOf('assistant', [
        { type: 'thinking', signature: 'signature of a1: hm', thinking: 'hm' },
        { type: 'text', text: 'hi ' },
        { type: 'tool-use', name: 'search', id: 'c1', parameters: { a: 2, b: 1 } },
      ]),
      messageOf('tool', [{ type: 'text', text: 'found' }], 'c1'),
      user('thanks'),
    ];
    const { created, nodeIds, tip } = await append(null, history);
    expect(nodeIds).toEqual(['u1', 'a1', 't1', 'new1']);
    expect(created.map((node) => node.content)).toEqual(['thanks']);
    expect(tip).toBe('new1');
  });

  it.each<[string, Message]>([
    [
      'another call id',
      messageOf('assistant', [
        { type: 'thinking', thinking: 'hm', signature: 'signature of a1: hm' },
        { type: 'text', text: 'hi' },
        { type: 'tool-use', id: 'c2', name: 'search', parameters: { a: 2, b: 1 } },
      ]),
    ],
    [
      'another order of blocks',
      messageOf('assistant', [
        { type: 'text', text: 'hi' },
        { type: 'thinking', thinking: 'hm', signature: 'signature of a1: hm' },
        { type: 'tool-use', id: 'c1', name: 'search', parameters: { a: 2, b: 1 } },
      ]),
    ],
  ])('TR-8: %s is another message', async (_, changed) => {
    expect((await append(null, [user('hello'), changed])).nodeIds).toEqual(['u1', 'new1']);
  });

  it('TR-9: once a message is new, everything behind it is new, even where an equal node exists elsewhere', async () => {
    const { created } = await append(null, [user('other'), user('hello')]);
    expect(created.map((node) => node.parentId)).toEqual([null, 'new1']);
  });

  it('TR-10: empty messages get no node and shift no index', async () => {
    const { nodeIds, tip, created } = await append(null, [user(' '), user('hello'), user(''), user('x')]);
    expect(nodeIds).toEqual([null, 'u1', null, 'new1']);
    expect(created[0]?.parentId).toBe('u1');
    expect(tip).toBe('new1');
    expect((await append(nodeId('t1'), [user('')])).tip).toBe('t1');
  });

  it('TR-11: appending the same again adds nothing and gives the same nodes', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, fc.array(anyMessage, { maxLength: 8 }), fc.nat(), async (nodes, messages, pick) => {
        const parent: NodeId | null = nodes[pick % (nodes.length + 1)]?.id ?? null;
        const first = await append(parent, messages, nodes, 'first');
        const second = await append(parent, messages, [...nodes, ...first.created], 'second');
        expect(second.created).toEqual([]);
        expect(second.nodeIds).toEqual(first.nodeIds);
        expect(second.tip).toBe(first.tip);
      }),
    );
  });

  it('TR-12: every appended message is on the path in its order, with its content untouched', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 8 }), async (messages) => {
        const { created, nodeIds, tip } = await append(null, messages, []);
        expect(created.map(({ parentId }) => parentId)).toEqual([null, ...created.map(({ id }) => id)].slice(0, -1));
        expect(nodeIds.filter((id) => id !== null)).toEqual(created.map(({ id }) => id));
        expect(tip).toBe(created.at(-1)?.id ?? null);
        const sent = messages.filter((_, index) => nodeIds[index] !== null);
        expect(created.map(messageOfNode)).toEqual(sent);
      }),
    );
  });

  it('TR-13: children are asked for by match key, and no more once a message is new', async () => {
    const asked: string[] = [];
    const history = [user('hello'), user('elsewhere'), user('more')];
    await planAppend(null, history, making(), (parent, matchKey) => {
      asked.push(matchKey);
      return childAmong(stored)(parent, matchKey);
    });
    expect(asked).toEqual([matchKeyOf(null, user('hello')), matchKeyOf(nodeId('u1'), user('elsewhere'))]);
  });

  it('TR-13: a stored node with a wrong match key is not taken for the message', async () => {
    const liar = stored[1] ?? null;
    const planned = await planAppend(null, [user('hello')], making(), () => Promise.resolve(liar));
    expect(planned.created).toHaveLength(1);
  });
});

describe('matchKeyOf', () => {
  it('TR-14: equal for messages that normalise alike, different under another parent or role', () => {
    expect(matchKeyOf(null, user(' hello '))).toBe(matchKeyOf(null, user('hello')));
    expect(matchKeyOf(nodeId('p'), user('hello'))).not.toBe(matchKeyOf(null, user('hello')));
    expect(matchKeyOf(null, textMessage('assistant', 'hello'))).not.toBe(matchKeyOf(null, user('hello')));
  });
});
