import type { BranchId, NodeId, ToolDefinition } from '../entities/index.ts';
import type { CanvasBlock } from './canvas.ts';
import { isCanvasBlock } from './canvas.ts';
import type { AttachedBlock } from './files.ts';
import { isAttachedBlock } from './files.ts';
import { isPlainObject } from './plain-object.ts';

export * from './canvas.ts';
export * from './files.ts';
export * from './plain-object.ts';

/** An array that holds at least one element. */
export type NonEmptyArray<T> = readonly [T, ...T[]];

export function isNonEmpty<T>(values: readonly T[]): values is NonEmptyArray<T> {
  return values.length > 0;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** The text of a thought. The signature belongs to exactly this text: neither is ever changed without the other. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

/** A signature that came without text of its own (Gemini signs a part, OpenAI encrypts an item). */
export interface ThinkingSignatureBlock {
  readonly type: 'thinking_signature';
  readonly signature: string;
}

/** Thinking that the provider encrypted: opaque, replayed unchanged. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: 'tool-use';
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * In a system message: from here on the model has other tools. Both lists are whole and as they were defined then, so
 * that the beginning of a conversation can be sent again as it was.
 */
export interface ToolChangeBlock {
  readonly type: 'tool-change';
  readonly before: readonly ToolDefinition[];
  readonly after: readonly ToolDefinition[];
}

/**
 * In a message of the user: what it says was brought from another branch. The text beside it is what a model gets; this
 * block is for people, and is never sent.
 */
export interface MergeBlock {
  readonly type: 'merge';
  readonly branchId: BranchId;
  /** The name that the branch had then. */
  readonly branchName: string;
  /** What was brought came after this node, up to that one; null: from the beginning. */
  readonly after: NodeId | null;
  readonly upTo: NodeId;
  /** Its last answer, a summary that a model wrote, or messages that somebody chose. */
  readonly by: 'answer' | 'summary' | 'messages';
  /** Where the text comes from. */
  readonly nodeIds: readonly NodeId[];
}

/** A block type that Bough does not know: kept untouched and in place, not shown. */
export interface CustomBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export type KnownBlock =
  | TextBlock
  | ThinkingBlock
  | ThinkingSignatureBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolChangeBlock
  | CanvasBlock
  | MergeBlock
  | AttachedBlock;
export type ContentBlock = KnownBlock | CustomBlock;

// Guards check the fields too, not only `type`: a custom block may have a known name but another shape (from an import
// or a newer version), and must then be treated as custom instead of failing later.

export const isTextBlock = (block: ContentBlock): block is TextBlock =>
  block.type === 'text' && typeof (block as CustomBlock)['text'] === 'string';

export const isThinkingBlock = (block: ContentBlock): block is ThinkingBlock =>
  block.type === 'thinking' &&
  typeof (block as CustomBlock)['thinking'] === 'string' &&
  isOptionalString((block as CustomBlock)['signature']);

export const isThinkingSignatureBlock = (block: ContentBlock): block is ThinkingSignatureBlock =>
  block.type === 'thinking_signature' && typeof (block as CustomBlock)['signature'] === 'string';

export const isRedactedThinkingBlock = (block: ContentBlock): block is RedactedThinkingBlock =>
  block.type === 'redacted_thinking' && typeof (block as CustomBlock)['data'] === 'string';

export const isToolUseBlock = (block: ContentBlock): block is ToolUseBlock =>
  block.type === 'tool-use' &&
  typeof (block as CustomBlock)['id'] === 'string' &&
  typeof (block as CustomBlock)['name'] === 'string' &&
  isPlainObject((block as CustomBlock)['parameters']);

export const isToolChangeBlock = (block: ContentBlock): block is ToolChangeBlock =>
  block.type === 'tool-change' &&
  [(block as CustomBlock)['before'], (block as CustomBlock)['after']].every(
    (tools) => Array.isArray(tools) && tools.every((tool) => isPlainObject(tool) && typeof tool['name'] === 'string'),
  );

const WAYS_TO_MERGE: ReadonlySet<unknown> = new Set<MergeBlock['by']>(['answer', 'summary', 'messages']);

export function isMergeBlock(block: ContentBlock): block is MergeBlock {
  if (block.type !== 'merge') return false;
  const { branchId, branchName, after, upTo, by, nodeIds } = block as CustomBlock;
  return (
    [branchId, branchName, upTo].every((value) => typeof value === 'string') &&
    (after === null || typeof after === 'string') &&
    WAYS_TO_MERGE.has(by) &&
    Array.isArray(nodeIds) &&
    nodeIds.every((id) => typeof id === 'string')
  );
}

/** Anything that carries reasoning: its text, its signature, or its encrypted form. */
export const isReasoningBlock = (
  block: ContentBlock,
): block is ThinkingBlock | ThinkingSignatureBlock | RedactedThinkingBlock =>
  isThinkingBlock(block) || isThinkingSignatureBlock(block) || isRedactedThinkingBlock(block);

export const isKnownBlock = (block: ContentBlock): block is KnownBlock =>
  isTextBlock(block) ||
  isReasoningBlock(block) ||
  isToolUseBlock(block) ||
  isToolChangeBlock(block) ||
  isCanvasBlock(block) ||
  isMergeBlock(block) ||
  isAttachedBlock(block);

function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
