import type { NonEmptyArray } from '../blocks/index.ts';
import type { NodeId } from '../entities/index.ts';
import type { Message } from '../messages/index.ts';

/** How a node is sent. */
export type Fidelity = 'verbatim' | 'canonical' | 'dropped';

/**
 * One message of the request, provider-neutral: the wire shape is up to the protocol.
 *
 * `raw`: the provider's own reply goes back from its raw response; `message` is its canonical form, used for what raw
 * cannot provide (a lost raw, an estimate). `canonical`: the message's blocks are all there is.
 */
export interface ContextItem {
  /** The nodes that became this item: several if neighbours were coalesced. */
  readonly nodeIds: NonEmptyArray<NodeId>;
  readonly source: 'raw' | 'canonical';
  readonly message: Message;
  /** Whether the reasoning of a raw reply goes back. `omit`: text and tools stay, all reasoning stays out. */
  readonly reasoning: 'verbatim' | 'omit';
  /** The reply broke off: only its complete blocks go back. */
  readonly partial: boolean;
  /** The calls of this reply that have a result after it. Others are not sent. */
  readonly answeredCalls: readonly string[];
  /** Made by a rule, not from a node: an error result for a call that has none. */
  readonly synthetic: boolean;
  /** A result that reports a failure: the tool failed, was refused or never ran. */
  readonly isError?: boolean;
}

/** One line of the report: what happens to a node, and why. */
export interface ReportLine {
  readonly nodeId: NodeId;
  readonly fidelity: Fidelity;
  /** Stable codes, in the order in which the rules decided. Empty for a node that is sent as it is. */
  readonly reasons: readonly ContextReason[];
  readonly estimatedTokens: number;
  /** What happens to the reasoning of a reply; absent where there is none to be read, or where the reply stays out. */
  readonly reasoning?: ReasoningFate;
}

/**
 * `goes_back`: as it was made. `as_text`: as labelled text, because a person asked for that. `left_out`: not at all,
 * but it could go as text. `incomplete`: the reply goes back as it was made, and parts of its reasoning cannot.
 */
export type ReasoningFate = 'goes_back' | 'as_text' | 'left_out' | 'incomplete';

export type ContextReason =
  | 'model_break'
  | 'no_provider_information'
  | 'raw_missing'
  | 'foreign_issuer'
  | 'left_out'
  | 'result_left_out'
  | 'compacted'
  | 'canvas_not_sent'
  | 'pinned'
  | 'error_reply'
  | 'interrupted_reply'
  | 'empty'
  | 'thinking_not_replayable'
  | 'thinking_prefix_changed'
  | 'thinking_unsigned'
  | 'thinking_included_as_text'
  | 'tool_call_without_result'
  | 'tool_result_without_call'
  | 'tool_use_as_text'
  | 'custom_block_not_sent'
  | 'file_as_text'
  | 'file_as_line'
  | 'file_left_out'
  | 'file_over_limit'
  | 'file_before_reply'
  | 'trimmed'
  | 'coalesced'
  | 'repaired';
