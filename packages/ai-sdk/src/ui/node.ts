import type { ContentBlock, TreeNode } from '@bough/core';
import type { UIMessage } from 'ai';

/** A message of Bough, as far as a user interface is concerned with it. A stored node is one. */
export interface HistoryNode extends Pick<
  TreeNode,
  'role' | 'contentBlocks' | 'toolCallId' | 'provider' | 'modelUsed' | 'madeWith' | 'isError' | 'interrupted'
> {
  readonly id: string;
  /** What only the AI SDK has a place for. */
  readonly ui?: UIRemainder;
}

export interface UIRemainder {
  /** The application's own metadata of the message. */
  readonly metadata?: unknown;
  /** The parts of a user or system message that is more than plain text: Bough's hold text alone. */
  readonly parts?: UIMessage['parts'];
  /** True where two messages of the assistant follow each other and must stay two. */
  readonly startsMessage?: true;
}

/** A part of any kind, also one that no version of the AI SDK knows. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** A part that Bough has no block for, whole. */
export const PART = 'ui_part';
/** What a part has beyond the block in front of it. */
export const REST = 'ui_rest';
/** Stands first in a step that has no `step-start`. */
export const NO_STEP = 'ui_no_step';
/** The data part that a block becomes which the AI SDK has no part for. */
export const DATA_BLOCK = 'data-bough-block';

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });
