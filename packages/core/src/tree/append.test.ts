import { anyMessage, anyTree, sketch, SKETCH_PROJECT } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeId } from '../entities/index.ts';
import { nodeId } from '../entities/index.ts';
import { UnknownIdError } from '../errors/index.ts';
import type { Message } from '../messages/index.ts';
import { messageOf, textMessage } from '../messages/index.ts';
import type { Making } from './append.ts';
import { appendMessages, editNode, planAppend } from './append.ts';
import { matchKeyOf, messageOfNode } from './node.ts';
import { addNodes, childrenOf, emptyTree, getNode, pathTo } from './tree.ts';

function making(prefix = 'new'): Making {
  let count = 0;
  return {
    projectId: SKETCH_PROJECT,
    newId: () => nodeId(`${prefix}${(count += 1)}`),
    now: () => '2026-01-01T00:00:00Z',
  };
}

const stored = addNodes(
  emptyTree,
  sketch(`
    u1 user: hello
    a1 assistant claude/opus: [think! hm] hi [call c1 search {"b":1,"a":2}]
    t1 tool c1: found
  `),
);
const user = (text: string) => textMessage('user', text);

describe('appendMessages', () => {
  it('TR-8: the longest stored prefix is reused, as it is stored; the rest is new', () => {
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
    const { tree, created, nodeIds, tip } = appendMessages(stored, null, history, making());
    expect(nodeIds).toEqual(['u1', 'a1', 't1', 'new1']);
    expect(created.map((node) => node.content)).toEqual(['thanks']);
    expect(tip).toBe('new1');
    expect(getNode(tree, nodeId('a1'))).toBe(getNode(stored, nodeId('a1')));
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
  ])('TR-8: %s is another message', (_, changed) => {
    expect(appendMessages(stored, null, [user('hello'), changed], making()).nodeIds).toEqual(['u1', 'new1']);
  });

  it('TR-9: once a message is new, everything behind it is new, even where an equal node exists elsewhere', () => {
    const { created } = appendMessages(stored, null, [user('other'), user('hello')], making());
    expect(created.map((node) => node.parentId)).toEqual([null, 'new1']);
  });

  it('TR-10: empty messages get no node and shift no index', () => {
    const { nodeIds, tip, created } = appendMessages(
      stored,
      null,
      [user(' '), user('hello'), user(''), user('x')],
      making(),
    );
    expect(nodeIds).toEqual([null, 'u1', null, 'new1']);
    expect(created[0]?.parentId).toBe('u1');
    expect(tip).toBe('new1');
    expect(appendMessages(stored, nodeId('t1'), [user('')], making()).tip).toBe('t1');
  });

  it('TR-3: an unknown parent is an error', () => {
    expect(() => appendMessages(stored, nodeId('nobody'), [user('x')], making())).toThrow(UnknownIdError);
  });

  it('TR-11: appending the same again adds nothing and gives the same nodes', () => {
    fc.assert(
      fc.property(anyTree, fc.array(anyMessage, { maxLength: 8 }), fc.nat(), (nodes, messages, pick) => {
        const before = addNodes(emptyTree, nodes);
        const parent: NodeId | null = nodes[pick % (nodes.length + 1)]?.id ?? null;
        const first = appendMessages(before, parent, messages, making('first'));
        const second = appendMessages(first.tree, parent, messages, making('second'));
        expect(second.created).toEqual([]);
        expect(second.nodeIds).toEqual(first.nodeIds);
        expect(second.tip).toBe(first.tip);
      }),
    );
  });

  it('TR-12: every appended message is on the path in its order, with its content untouched', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
        const { tree, nodeIds, tip } = appendMessages(emptyTree, null, messages, making());
        const onPath = tip === null ? [] : pathTo(tree, tip);
        expect(nodeIds.filter((id) => id !== null)).toEqual(onPath.map((node) => node.id));
        nodeIds.forEach((id, index) => {
          if (id !== null) expect(messageOfNode(getNode(tree, id))).toEqual(messages[index]);
        });
      }),
    );
  });
});

describe('planAppend', () => {
  it('TR-13: against a store it finds children by match key alone and plans the same nodes', async () => {
    const asked: string[] = [];
    const history = [user('hello'), user('elsewhere'), user('more')];
    const planned = await planAppend(null, history, making(), (parent, matchKey) => {
      asked.push(matchKey);
      return childrenOf(stored, parent).find((child) => child.matchKey === matchKey) ?? null;
    });
    const { tree: _, ...inMemory } = appendMessages(stored, null, history, making());
    expect(planned).toEqual(inMemory);
    expect(asked).toEqual([matchKeyOf(null, user('hello')), matchKeyOf(nodeId('u1'), user('elsewhere'))]);
  });

  it('TR-13: a stored node with a wrong match key is not taken for the message', async () => {
    const liar = getNode(stored, nodeId('a1'));
    const planned = await planAppend(null, [user('hello')], making(), () => liar);
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

describe('editNode', () => {
  it('TR-15: an edit is a new sibling; the original and its subtree stay', () => {
    const { tree, node } = editNode(stored, nodeId('u1'), [{ type: 'text', text: 'hullo' }], making());
    expect(node).toMatchObject({ parentId: null, role: 'user', content: 'hullo' });
    expect(childrenOf(tree, null).map((sibling) => sibling.id)).toEqual(['u1', 'new1']);
    expect(pathTo(tree, nodeId('t1'))).toEqual(pathTo(stored, nodeId('t1')));
  });

  it('TR-15: an edited tool result still answers its call', () => {
    const { node } = editNode(stored, nodeId('t1'), [{ type: 'text', text: 'other' }], making());
    expect(node).toMatchObject({ role: 'tool', toolCallId: 'c1', parentId: 'a1' });
  });
});
