import type { ContentBlock, LineBody, TreeNode, Turn } from '@bough/core';
import {
  isAttachedBlock,
  isCanvasBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
} from '@bough/core';

/** A stored reply as the lines that its stream would end with: whole blocks instead of deltas. */
export function linesOfNodes(turn: Turn, branch: string, nodes: readonly TreeNode[]): readonly LineBody[] {
  const user = nodes.find((node) => node.role === 'user');
  return [
    {
      type: 'turn',
      turnId: turn.id,
      branch,
      isThinkingMode: turn.isThinkingMode,
      userNodeId: user?.id ?? null,
    },
    ...nodes.flatMap(linesOfNode),
  ];
}

export function linesOfNode(node: TreeNode): readonly LineBody[] {
  if (node.role === 'tool') {
    const { toolCallId, content, contentBlocks, isError } = node;
    const files = contentBlocks.filter(isAttachedBlock);
    const canvas = contentBlocks.find(isCanvasBlock);
    const made = { ...(files.length === 0 ? {} : { files }), ...(canvas === undefined ? {} : { canvas }) };
    const shown = { content, ...made, isError };
    return [{ type: 'tool_result', toolCallId: toolCallId ?? '', ...shown, durationMs: 0 }];
  }
  if (node.role !== 'assistant') return [];
  if (node.isError) return [{ type: 'error', code: 'failed', message: node.content, retryable: true }];
  return [{ type: 'node', nodeId: node.id, model: node.modelUsed ?? '' }, ...node.contentBlocks.flatMap(linesOfBlock)];
}

function linesOfBlock(block: ContentBlock): readonly LineBody[] {
  if (isTextBlock(block)) return [{ type: 'text', content: block.text }];
  if (isThinkingBlock(block)) {
    const thought: LineBody = { type: 'thinking', content: block.thinking };
    return block.signature === undefined
      ? [thought]
      : [thought, { type: 'thinking_signature', content: block.signature }];
  }
  if (isThinkingSignatureBlock(block)) return [{ type: 'thinking_signature', content: block.signature }];
  if (isToolUseBlock(block))
    return [{ type: 'tool_call', id: block.id, name: block.name, parameters: block.parameters }];
  return [{ type: 'block', block }];
}
