import type { ContentBlock, TreeNode } from '@bough/core';
import { branchId, mergeIn, nodeId, turnId } from '@bough/core';
import type { GraphNode } from '../../store.ts';
import { nullable } from './nullable.ts';

/** The columns of a graph's node, in the order in which `graphNodeOf` takes them. */
export type GraphTuple = readonly [
  id: string,
  parentId: string | null,
  turnId: string | null,
  role: string,
  createdOnBranch: string | null,
  isError: boolean,
  interrupted: boolean,
  modelUsed: string | null,
  createdAt: string,
  /** Its blocks as JSON text, if the first one says what was merged. */
  merge: string | null,
];

export function graphNodeOf(tuple: GraphTuple): GraphNode {
  const [id, parentId, turn, role, createdOnBranch, isError, interrupted, modelUsed, createdAt, blocks] = tuple;
  const merge = blocks === null ? null : mergeIn(JSON.parse(blocks) as readonly ContentBlock[]);
  return {
    id: nodeId(id),
    parentId: nullable(parentId, nodeId),
    turnId: nullable(turn, turnId),
    role: role as TreeNode['role'],
    createdOnBranch: nullable(createdOnBranch, branchId),
    isError,
    interrupted,
    modelUsed,
    createdAt,
    ...(merge === null ? {} : { mergedUpTo: merge.upTo }),
  };
}
