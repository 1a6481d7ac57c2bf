import type { ContentBlock, TreeNode } from '@bough/core';
import { branchId, deriveTextFromBlocks, fileTextsOf, nodeId, nodeLexemes, projectId, turnId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { NodeRow } from '../tables.ts';
import { nodeLexemesText } from './lexemes.ts';
import { nullable } from './nullable.ts';

export function nodeRow(node: TreeNode): Insertable<NodeRow> {
  return {
    project_id: node.projectId,
    id: node.id,
    parent_id: node.parentId,
    turn_id: node.turnId,
    created_on_branch: node.createdOnBranch,
    role: node.role,
    content_blocks: JSON.stringify(node.contentBlocks),
    content: node.content === deriveTextFromBlocks(node.contentBlocks) ? null : node.content,
    // What its files say is read later: see `search/index-later.ts`.
    lexemes: fileTextsOf(node.contentBlocks).length > 0 ? null : nodeLexemesText(node, nodeLexemes(node)),
    provider: node.provider,
    model_used: node.modelUsed,
    tool_call_id: node.toolCallId,
    tool_ms: node.toolMs ?? null,
    trail: node.trail ?? null,
    availability: node.thinking?.availability ?? null,
    thinking_truncated: node.thinking?.truncated ?? null,
    made_with_prefix: node.madeWith?.prefix ?? null,
    previous_thinking: node.madeWith?.previousThinking ?? null,
    is_error: node.isError,
    interrupted: node.interrupted,
    include_thinking: node.includeThinkingInContext,
    match_key: node.matchKey,
    created_at: node.createdAt,
  };
}

/** What reading a node takes: everything except its place in the order and what only search reads. */
export type StoredNode = Omit<Selectable<NodeRow>, 'position' | 'lexemes'>;

export function nodeOf(row: StoredNode): TreeNode {
  const contentBlocks = JSON.parse(row.content_blocks) as readonly ContentBlock[];
  return {
    id: nodeId(row.id),
    projectId: projectId(row.project_id),
    parentId: nullable(row.parent_id, nodeId),
    turnId: nullable(row.turn_id, turnId),
    createdOnBranch: nullable(row.created_on_branch, branchId),
    role: row.role as TreeNode['role'],
    contentBlocks,
    content: row.content ?? deriveTextFromBlocks(contentBlocks),
    provider: row.provider,
    modelUsed: row.model_used,
    toolCallId: row.tool_call_id,
    ...(row.tool_ms === null ? {} : { toolMs: row.tool_ms }),
    ...(row.trail === null ? {} : { trail: row.trail }),
    thinking: thinkingOf(row),
    madeWith: madeWithOf(row),
    isError: row.is_error,
    interrupted: row.interrupted,
    includeThinkingInContext: row.include_thinking,
    matchKey: row.match_key,
    createdAt: row.created_at,
  };
}

function thinkingOf(row: StoredNode): TreeNode['thinking'] {
  if (row.availability === null || row.thinking_truncated === null) return null;
  return {
    availability: row.availability as NonNullable<TreeNode['thinking']>['availability'],
    truncated: row.thinking_truncated,
  };
}

function madeWithOf(row: StoredNode): TreeNode['madeWith'] {
  if (row.made_with_prefix === null) return null;
  return { prefix: row.made_with_prefix, previousThinking: nullable(row.previous_thinking, nodeId) };
}
