import type { ContentBlock, TreeNode } from '@bough/core';
import { branchId, isPlainObject, matchKeyOf, messageOfNode, nodeId, projectId, turnId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLine, withParent, writeLine } from './line.ts';
import { nodeOfOldLine, rawOfOldLine } from './research-tree.ts';

const PROJECT = projectId('p');
const text = fc.string({ unit: 'binary', maxLength: 20 });
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const json = fc.jsonValue({ maxDepth: 2 });

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ text, type: fc.constant('text') }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.tuple(text, json).map(([type, value]) => ({ type, value })),
);

const node: fc.Arbitrary<TreeNode> = fc
  .record({
    id: text.map(nodeId),
    parentId: orNull(text.map(nodeId)),
    turnId: orNull(text.map(turnId)),
    createdOnBranch: orNull(text.map(branchId)),
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    contentBlocks: fc.array(block, { maxLength: 3 }),
    content: text,
    provider: orNull(text),
    modelUsed: orNull(text),
    toolCallId: orNull(text),
    thinking: orNull(fc.constant({ availability: 'full' as const, truncated: false })),
    madeWith: orNull(fc.record({ prefix: text, previousThinking: orNull(text.map(nodeId)) })),
    isError: fc.boolean(),
    interrupted: fc.boolean(),
    includeThinkingInContext: fc.boolean(),
    matchKey: text,
    createdAt: fc.oneof(fc.constant('2025-01-01T00:00:00.000Z'), fc.constant('2025-01-01T00:00:00Z'), text),
  })
  .map((fields) => ({ ...fields, projectId: PROJECT }));

function parse(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (!isPlainObject(value)) throw new Error('a line is an object');
  return value;
}

describe('GIT-3: lines', () => {
  test('GIT-3: a node is read from its line as it was written, to the order of keys', () => {
    fc.assert(
      fc.property(node, fc.nat(), orNull(text), (given, order, branchName) => {
        const line = writeLine({ node: given, order }, branchName);
        expect(line).not.toContain('\n');
        const read = readLine(PROJECT, parse(line));
        expect(read).toStrictEqual(JSON.parse(JSON.stringify({ node: given, order })));
        expect(JSON.stringify(read?.node.contentBlocks)).toBe(JSON.stringify(given.contentBlocks));
      }),
      { numRuns: 1000 },
    );
  });

  test('GIT-3: what ResearchTree knows stands where it looks for it', () => {
    const [sample] = fc.sample(node, 1);
    if (!sample) throw new Error('a sample was asked for');
    const given: TreeNode = {
      ...sample,
      id: nodeId('n2'),
      parentId: nodeId('n1'),
      role: 'assistant',
      content: 'words',
      contentBlocks: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'words' },
      ],
      modelUsed: 'm-1',
      interrupted: true,
      createdAt: '2025-01-01T00:00:00.000Z',
    };
    expect(parse(writeLine({ node: given, order: 7 }, 'main'))).toMatchObject({
      id: 'n2',
      type: 'message',
      timestamp: Date.UTC(2025, 0, 1),
      parent: 'n1',
      createdOnBranch: 'main',
      role: 'assistant',
      content: 'words',
      contentBlocks: given.contentBlocks,
      modelUsed: 'm-1',
      interrupted: true,
      bough: { order: 7 },
    });
  });

  test('GIT-3: another parent changes the parent and the match key, and nothing else', () => {
    const given: TreeNode = {
      ...(fc.sample(node, 1)[0] ?? ({} as TreeNode)),
      role: 'user',
      toolCallId: null,
      contentBlocks: [{ type: 'text', text: 'hello' }],
    };
    const moved = readLine(
      PROJECT,
      parse(withParent(PROJECT, parse(writeLine({ node: given, order: 3 }, null)), nodeId('new'))),
    );
    const matchKey = matchKeyOf(nodeId('new'), messageOfNode(given));
    // Through JSON, like a real line: generated objects may lack a prototype.
    expect(moved).toStrictEqual(
      JSON.parse(JSON.stringify({ order: 3, node: { ...given, parentId: 'new', matchKey } })),
    );
    const old = { id: 'o', type: 'message', parent: 'gone', role: 'user', content: 'x', mood: 'kept' };
    expect(withParent(PROJECT, old, null)).toBe(JSON.stringify({ ...old, parent: null }));
  });
});

describe('GIT-15: old lines', () => {
  const base = { id: 'n', type: 'message', timestamp: 5, parent: null, role: 'assistant', content: 'text' };

  test('GIT-15: a message without anything is an empty text, an unknown role an error', () => {
    expect(nodeOfOldLine(PROJECT, { id: 'n', role: 'user' }, null).contentBlocks).toStrictEqual([
      { type: 'text', text: '' },
    ]);
    expect(nodeOfOldLine(PROJECT, { id: 'n', role: 'user', timestamp: 'never' }, null).createdAt).toBe(
      new Date(0).toISOString(),
    );
    expect(() => nodeOfOldLine(PROJECT, { id: 'n', role: 'wizard' }, null)).toThrow('role');
  });

  test('GIT-15: a user message holds text only, whatever its blocks say', () => {
    const line = { ...base, role: 'user', contentBlocks: [{ type: 'thinking', thinking: 'x' }] };
    expect(nodeOfOldLine(PROJECT, line, null).contentBlocks).toStrictEqual([{ type: 'text', text: 'text' }]);
  });

  test.each([
    [[{ event: 'ping', data: { a: 1 } }], 'anthropic-messages', [{ event: 'ping', data: '{"a":1}' }]],
    [[{ id: 'chunk', choices: [] }], 'openai-chat', ['{"id":"chunk","choices":[]}']],
    [
      { events: [{ type: 'response.created' }] },
      'openai-responses',
      { events: [{ data: '{"type":"response.created"}' }], response: null },
    ],
    [{ stream: [{ a: 1 }], response: { b: 2 } }, 'gemini', { stream: ['{"a":1}'], response: '{"b":2}' }],
  ] as const)('GIT-15: the shape of a raw response tells its protocol: %j', (rawResponse, api, payload) => {
    const line = { ...base, rawResponse };
    expect(rawOfOldLine(line, nodeOfOldLine(PROJECT, line, null))).toMatchObject({ api, payload });
  });
});
