import type { Availability, ContentBlock, Message, NodeId, ProjectId, Role, TreeNode, TurnId } from '@bough/core';
import {
  branchId,
  deriveTextFromBlocks,
  isPlainObject,
  isToolMessage,
  matchKeyOf,
  mergeIn,
  nodeId,
  normalizeMessage,
  thinkingOf,
  turnId,
  withoutMerge,
} from '@bough/core';
import { malformed } from '../../on-disk/disk/index.ts';
import { reparented } from '../../reparented.ts';
import type { Fields } from './fields.ts';
import { fieldsOf, jsonText, parseJson } from './fields.ts';
import type { LoomIds } from './loom-form.ts';
import { fromLoomForm, toLoomForm } from './loom-form.ts';
import type { NodeFile } from './own-part.ts';
import { OWN, withOwn } from './own-part.ts';

export type { NodeFile } from './own-part.ts';

const AVAILABILITIES: readonly Availability[] = ['none', 'summary', 'full', 'redacted', 'partial'];
const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];

export interface ReadNode {
  readonly node: TreeNode;
  /** Its place in the order of storage; null for a node that Loom wrote. */
  readonly order: number | null;
}

/** A node's file as the rest of Bough sees it: with Bough's ids, and the message that Bough stored. */
export const parseNodeFile = (path: string, text: string, ids: LoomIds): NodeFile =>
  fromLoomForm(fieldsOf(path, parseJson(path, text)).value, ids);

/**
 * Reads a node of either writer. The message is brought into canonical form here and only here: the file is not
 * touched.
 */
export function readNodeFile(path: string, file: NodeFile, project: ProjectId): ReadNode {
  const fields = fieldsOf(path, file);
  const metadata = fields.objectOrNull('metadata');
  const own = metadata?.objectOrNull('custom_data')?.objectOrNull(OWN) ?? null;
  const source = sourceOf(metadata);
  const order = own?.numberOrNull('order') ?? null;
  const { role, blocks, toolCallId, message } =
    // A message that somebody changed in Loom has lost its key: it is read like one that Loom wrote.
    order === null || own?.value['matchKey'] === undefined ? readMessage(path, fields) : readOwnMessage(path, fields);
  const parentId = parentOf(fields, project);
  const provider = own && 'provider' in own.value ? own.textOrNull('provider') : source.provider;
  const modelUsed = own && 'modelUsed' in own.value ? own.textOrNull('modelUsed') : source.model;
  const turn = own?.textOrNull('turnId') ?? null;
  const branch = own?.textOrNull('createdOnBranch') ?? null;
  const toolMs = own?.numberOrNull('toolMs') ?? null;
  const trail = own?.textOrNull('trail') ?? null;
  const node: TreeNode = {
    id: nodeId(fields.text('id')),
    projectId: project,
    parentId,
    turnId: turn === null ? null : turnId(turn),
    createdOnBranch: branch === null ? null : branchId(branch),
    role,
    contentBlocks: blocks,
    content: own?.textOrNull('content') ?? deriveTextFromBlocks(blocks),
    provider,
    modelUsed,
    toolCallId: own && 'toolCallId' in own.value ? own.textOrNull('toolCallId') : toolCallId,
    ...(toolMs === null ? {} : { toolMs }),
    ...(trail === null ? {} : { trail }),
    thinking: own && 'thinking' in own.value ? readThinking(own) : thinkingOf(blocks, 'full', false),
    madeWith: readMadeWith(own),
    isError: own && 'isError' in own.value ? own.flag('isError') : source.failed,
    interrupted: own && 'interrupted' in own.value ? own.flag('interrupted') : false,
    includeThinkingInContext:
      own && 'includeThinkingInContext' in own.value ? own.flag('includeThinkingInContext') : false,
    matchKey: own?.textOrNull('matchKey') ?? (message ? matchKeyOf(parentId, message) : ''),
    createdAt: metadata?.textOrNull('timestamp') ?? '1970-01-01T00:00:00.000Z',
  };
  return { node: own?.value['under'] === undefined ? node : reparented(node, parentId), order };
}

/**
 * The message in canonical form. An empty one, which old data may hold but no provider accepts, has no such form: null.
 */
export function messageOfFile(path: string, file: NodeFile): Message | null {
  return readMessage(path, fieldsOf(path, file)).message;
}

/** True for a message that an older program wrote and whose canonical form differs. */
export function isLegacyMessage(path: string, file: NodeFile): boolean {
  return readMessage(path, fieldsOf(path, file)).isLegacy;
}

/** A node as a file of Loom's form, its message canonical. */
export function fileOfNode(
  node: TreeNode,
  order: number,
  childIds: readonly NodeId[],
  toolName: string | null,
): NodeFile {
  const { role, contentBlocks, toolCallId } = node;
  return {
    id: node.id,
    root_id: node.projectId,
    parent_id: node.parentId ?? node.projectId,
    child_ids: childIds,
    message:
      role === 'tool' && toolCallId !== null
        ? { role, content: contentBlocks, tool_call_id: toolCallId }
        : { role, content: contentBlocks },
    metadata: {
      timestamp: node.createdAt,
      original_root_id: node.projectId,
      source_info: sourceInfo(node, toolName),
      custom_data: { [OWN]: ownFields(node, order) },
    },
  };
}

export function withChildIds(file: NodeFile, childIds: readonly NodeId[]): NodeFile {
  return { ...file, child_ids: childIds };
}

/** Changes what Bough may change in a stored node, whoever wrote it; the message stays as it is in the file. */
export function withPlace(file: NodeFile, node: Pick<TreeNode, 'projectId' | 'parentId' | 'matchKey'>): NodeFile {
  return withOwn({ ...file, parent_id: node.parentId ?? node.projectId }, { matchKey: node.matchKey });
}

export function withIncludeThinking(file: NodeFile, includeThinkingInContext: boolean): NodeFile {
  return withOwn(file, { includeThinkingInContext });
}

export function withDerived(file: NodeFile, content: string, matchKey: string): NodeFile {
  return withOwn(file, { content, matchKey });
}

export function withTurn(file: NodeFile, turn: TurnId): NodeFile {
  return withOwn(file, { turnId: turn });
}

export function withMessage(file: NodeFile, message: Message): NodeFile {
  return { ...file, message };
}

export const nodeFileText = (file: NodeFile, ids: LoomIds): string => jsonText(toLoomForm(file, ids));

export function ownFields(node: TreeNode, order: number): Record<string, unknown> {
  return {
    order,
    turnId: node.turnId,
    createdOnBranch: node.createdOnBranch,
    provider: node.provider,
    modelUsed: node.modelUsed,
    toolCallId: node.toolCallId,
    ...(node.toolMs === undefined ? {} : { toolMs: node.toolMs }),
    ...(node.trail === undefined ? {} : { trail: node.trail }),
    thinking: node.thinking,
    madeWith: node.madeWith,
    isError: node.isError,
    interrupted: node.interrupted,
    includeThinkingInContext: node.includeThinkingInContext,
    matchKey: node.matchKey,
    ...(node.content === deriveTextFromBlocks(node.contentBlocks) ? {} : { content: node.content }),
  };
}

function sourceInfo(node: TreeNode, toolName: string | null): Record<string, unknown> {
  if (node.role === 'tool') return { type: 'tool_result', tool_name: toolName ?? 'unknown' };
  if (node.role !== 'assistant') return { type: 'user' };
  return {
    type: 'model',
    provider: loomProvider(node.provider),
    model_name: node.modelUsed ?? 'unknown',
    parameters: {},
  };
}

/** Loom's names of providers where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gemini' };

const loomProvider = (provider: string | null): string =>
  Object.entries(PROVIDERS).find(([, ours]) => ours === provider)?.[0] ?? provider ?? 'unknown';

function sourceOf(metadata: Fields | null): { provider: string | null; model: string | null; failed: boolean } {
  const info = metadata?.objectOrNull('source_info');
  if (info?.textOrNull('type') !== 'model') return { provider: null, model: null, failed: false };
  const provider = info.textOrNull('provider');
  return {
    provider: provider === null ? null : (PROVIDERS[provider] ?? provider),
    model: info.textOrNull('model_name'),
    // What Loom wrote in place of a reply: no model said it.
    failed: info.value['finish_reason'] === 'error',
  };
}

/** A node directly below the root names the root as its parent. */
function parentOf(fields: Fields, project: ProjectId): NodeId | null {
  const parent = fields.textOrNull('parent_id');
  return parent === null || parent === project ? null : nodeId(parent);
}

interface FoundMessage {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
  readonly toolCallId: string | null;
  readonly message: Message | null;
  readonly isLegacy: boolean;
}

function readMessage(path: string, fields: Fields): FoundMessage {
  const found = fields.object('message');
  const role = found.oneOf('role', ROLES);
  const isEmpty =
    found.value['content'] == null || (Array.isArray(found.value['content']) && found.list('content').length === 0);
  if (isEmpty && found.value['tool_calls'] == null) {
    return { role, blocks: [], toolCallId: found.textOrNull('tool_call_id'), message: null, isLegacy: false };
  }
  const blocks = role === 'user' ? mergeBlocksOf(found.value['content']) : null;
  let message;
  try {
    message = normalizeMessage(blocks === null ? found.value : { ...found.value, content: withoutMerge(blocks) });
  } catch (error) {
    throw malformed(path, `its message is not valid: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  return {
    role,
    blocks: blocks ?? message.content,
    toolCallId: isToolMessage(message) ? message.tool_call_id : null,
    message,
    isLegacy: blocks === null && message !== fields.value['message'],
  };
}

/** Where a message was brought from is no part of what it says: it is judged without, and keeps it. */
function mergeBlocksOf(content: unknown): readonly ContentBlock[] | null {
  const blocks = Array.isArray(content) && content.every(isBlock) ? content : [];
  return mergeIn(blocks) === null ? null : blocks;
}

/**
 * What Bough wrote is canonical already, and may hold what no valid message may: blocks of a reply that broke off, an
 * import's oddities.
 */
function readOwnMessage(path: string, fields: Fields): FoundMessage {
  const found = fields.object('message');
  const blocks = found.list('content');
  if (!blocks.every(isBlock)) throw malformed(path, '"message.content" must hold blocks with a type.');
  return {
    role: found.oneOf('role', ROLES),
    blocks,
    toolCallId: found.textOrNull('tool_call_id'),
    message: null,
    isLegacy: false,
  };
}

const isBlock = (value: unknown): value is ContentBlock => isPlainObject(value) && typeof value['type'] === 'string';

function readThinking(own: Fields): TreeNode['thinking'] {
  const thinking = own.objectOrNull('thinking');
  return (
    thinking && { availability: thinking.oneOf('availability', AVAILABILITIES), truncated: thinking.flag('truncated') }
  );
}

function readMadeWith(own: Fields | null): TreeNode['madeWith'] {
  const madeWith = own?.objectOrNull('madeWith');
  if (!madeWith) return null;
  const previous = madeWith.textOrNull('previousThinking');
  return { prefix: madeWith.text('prefix'), previousThinking: previous === null ? null : nodeId(previous) };
}
