import type { ContentBlock } from '../blocks/index.ts';
import { isRedactedThinkingBlock, isTextBlock, isThinkingBlock, isToolUseBlock } from '../blocks/index.ts';
import type { NodeId, TreeNode } from '../entities/index.ts';

/** What a reply does, in order. Blocks that people do not see (signatures, custom types) have no place here. */
export type TimelineItem = ThinkItem | ToolItem | TextItem;

export interface ThinkItem {
  readonly type: 'think';
  readonly nodeId: NodeId | null;
  /** Empty if the provider hides it. */
  readonly text: string;
  readonly redacted: boolean;
}

export interface ToolItem {
  readonly type: 'tool';
  readonly nodeId: NodeId | null;
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Null while there is none. */
  readonly result: ToolResult | null;
}

export interface ToolResult {
  readonly nodeId: NodeId | null;
  readonly content: string;
  readonly isError: boolean;
}

export interface TextItem {
  readonly type: 'text';
  readonly nodeId: NodeId | null;
  readonly text: string;
  readonly isError: boolean;
}

/** The timeline of a reply: its assistant nodes in order, each tool call with the result that answers it. */
export function timelineOf(reply: readonly TreeNode[]): readonly TimelineItem[] {
  const results = new Map<string, ToolResult>();
  for (const node of reply) {
    if (node.role !== 'tool' || node.toolCallId === null) continue;
    results.set(node.toolCallId, { nodeId: node.id, content: node.content, isError: node.isError });
  }
  return reply
    .filter((node) => node.role === 'assistant')
    .flatMap((node) => {
      const items = node.contentBlocks.flatMap((block) => itemOf(node, block, results));
      // Only a signature or a count of this reasoning arrived: people should see that it was there.
      const isHidden = node.thinking !== null && items.every(({ type }) => type !== 'think');
      return isHidden ? [{ type: 'think', nodeId: node.id, text: '', redacted: false } as const, ...items] : items;
    });
}

function itemOf(node: TreeNode, block: ContentBlock, results: ReadonlyMap<string, ToolResult>): TimelineItem[] {
  const nodeId = node.id;
  if (isThinkingBlock(block)) return [{ type: 'think', nodeId, text: block.thinking, redacted: false }];
  if (isRedactedThinkingBlock(block)) return [{ type: 'think', nodeId, text: '', redacted: true }];
  if (isTextBlock(block))
    return block.text === '' ? [] : [{ type: 'text', nodeId, text: block.text, isError: node.isError }];
  if (isToolUseBlock(block)) {
    const { id, name, parameters } = block;
    return [{ type: 'tool', nodeId, id, name, parameters, result: results.get(id) ?? null }];
  }
  return [];
}
