import type { ContentBlock, Message, NodeId, TreeNode } from '@bough/core';
import { createNode, messageOf, nodeId } from '@bough/core';
import fc from 'fast-check';
import { SKETCH_PROJECT } from './sketch.ts';

/**
 * Texts that have broken software before: empty, blank, long, astral, joined, right-to-left, lone surrogates, control
 * characters.
 */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '\n\t ',
    'héllo',
    '你好，世界',
    '👩‍💻🎉',
    'שלום',
    '\ud800',
    '\u0000',
    'a\u0301',
    'x'.repeat(300),
  ),
);

const anyJson = fc.jsonValue({ maxDepth: 3 });

const anyParameters = fc.dictionary(fc.string({ maxLength: 8 }), anyJson, { maxKeys: 3 });

export const anyCustomBlock: fc.Arbitrary<ContentBlock> = fc
  .record({ type: fc.constantFrom('server_tool_use', 'citation', 'x-future', 'image'), payload: anyJson })
  .map((block) => ({ ...block }));

export const anyAssistantBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  anyText.map((text): ContentBlock => ({ type: 'text', text })),
  fc.record({ type: fc.constant('thinking' as const), thinking: anyText }),
  fc.record({ type: fc.constant('thinking' as const), thinking: anyText, signature: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('thinking_signature' as const), signature: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('tool-use' as const),
    id: fc.constantFrom('call-1', 'call-2', 'call-3', 'functions.f:0'),
    name: fc.constantFrom('calculator', 'search'),
    parameters: anyParameters,
  }),
  anyCustomBlock,
);

const anyTextBlocks = fc.array(
  anyText.map((text): ContentBlock => ({ type: 'text', text })),
  { minLength: 1, maxLength: 3 },
);

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  anyTextBlocks.map((blocks) => messageOf('user', blocks)),
  fc.array(anyAssistantBlock, { minLength: 1, maxLength: 5 }).map((blocks) => messageOf('assistant', blocks)),
  fc
    .tuple(anyTextBlocks, fc.constantFrom('call-1', 'call-2', 'call-9'))
    .map(([blocks, id]) => messageOf('tool', blocks, id)),
);

const MAKERS = [
  ['claude', 'opus'],
  ['claude', 'sonnet'],
  ['gpt', 'five'],
  [null, null],
] as const;

/**
 * A path of nodes as a conversation could leave it, sound or not: any roles in any order, any makers, errors,
 * interruptions.
 */
export const anyPath: fc.Arbitrary<readonly TreeNode[]> = fc
  .array(
    fc.record({
      message: anyMessage,
      maker: fc.constantFrom(...MAKERS),
      isError: fc.boolean(),
      interrupted: fc.boolean(),
      include: fc.boolean(),
    }),
    { maxLength: 14 },
  )
  .map((steps) => {
    let parentId: NodeId | null = null;
    return steps.map(({ message, maker, isError, interrupted, include }, index) => {
      const isReply = message.role === 'assistant';
      const node = createNode({
        id: nodeId(`n${index}`),
        projectId: SKETCH_PROJECT,
        parentId,
        role: message.role,
        contentBlocks: message.content,
        toolCallId: message.role === 'tool' ? message.tool_call_id : null,
        provider: isReply ? maker[0] : null,
        modelUsed: isReply ? maker[1] : null,
        isError: isReply && isError && index % 3 === 0,
        interrupted: isReply && interrupted,
        includeThinkingInContext: include,
        createdAt: new Date(index).toISOString(),
      });
      parentId = node.id;
      return node;
    });
  });

/** A tree as a list of nodes, parents first: every node is below some earlier one. */
export const anyTree: fc.Arbitrary<readonly TreeNode[]> = fc
  .array(fc.tuple(anyMessage, fc.nat()), { minLength: 1, maxLength: 20 })
  .map((steps) => {
    const nodes: TreeNode[] = [];
    for (const [index, [message, below]] of steps.entries()) {
      const parent = index === 0 ? null : (nodes[below % index] ?? null);
      nodes.push(
        createNode({
          id: nodeId(`n${index}`),
          projectId: SKETCH_PROJECT,
          parentId: parent?.id ?? null,
          role: message.role,
          contentBlocks: message.content,
          toolCallId: message.role === 'tool' ? message.tool_call_id : null,
          createdAt: new Date(index).toISOString(),
        }),
      );
    }
    return nodes;
  });
