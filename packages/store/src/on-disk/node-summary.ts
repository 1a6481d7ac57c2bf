import { crc32 } from 'node:zlib';
import type { Availability, BlobHash, TreeNode } from '@bough/core';
import { blobsOf, mergeIn } from '@bough/core';
import type { GraphNode } from '../store.ts';

/** What a store keeps in memory of every node: enough for the graph, for matching and for counting, but no content. */
export interface NodeSummary extends GraphNode {
  readonly matchKey: string;
  readonly provider: string | null;
  readonly availability: Availability | null;
  readonly includeThinkingInContext: boolean;
  readonly blobs: readonly BlobHash[];
  readonly trail: string | null;
  /** Changes with what is searched, even where another program changed it and left everything else. */
  readonly contentMark: string;
}

/** Without the fields that only the node's store knows. */
export function graphNodeOf(node: GraphNode): GraphNode {
  const { id, parentId, turnId, role, createdOnBranch, isError, interrupted, modelUsed, createdAt } = node;
  const { mergedUpTo } = node;
  const plain = { id, parentId, turnId, role, createdOnBranch, isError, interrupted, modelUsed, createdAt };
  return mergedUpTo === undefined ? plain : { ...plain, mergedUpTo };
}

export function summaryOf(node: TreeNode): NodeSummary {
  const { matchKey, provider, thinking, includeThinkingInContext } = node;
  const merge = node.role === 'user' ? mergeIn(node.contentBlocks) : null;
  return {
    ...graphNodeOf(node),
    ...(merge === null ? {} : { mergedUpTo: merge.upTo }),
    matchKey,
    provider,
    availability: thinking?.availability ?? null,
    includeThinkingInContext,
    blobs: blobsOf(node.contentBlocks),
    trail: node.trail ?? null,
    contentMark: crc32(JSON.stringify([node.contentBlocks, node.content, node.role, node.modelUsed])).toString(36),
  };
}
