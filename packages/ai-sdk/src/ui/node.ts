import type { ContentBlock, TreeNode } from '@bough/core';
import type { UIMessage } from 'ai';

/** A message of Bough, as far as a user interface needs it. A stored node fits. */
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
  /** The parts of a user or system message that is more than plain text: Bough's own hold only text. */
  readonly parts?: UIMessage['parts'];
  /** True if two assistant messages follow each other and must not be merged. */
  readonly startsMessage?: true;
}

/** A part of any kind, even one that no version of the AI SDK knows. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** A whole part for which Bough has no block. */
export const PART = 'ui_part';
/** What a part has beyond the block before it. */
export const REST = 'ui_rest';
/** Comes first in a step that has no `step-start`. */
export const NO_STEP = 'ui_no_step';
/** The data part for a block that the AI SDK has no part for. */
export const DATA_BLOCK = 'data-bough-block';

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });
