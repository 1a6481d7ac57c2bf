import type { ContentBlock } from '../blocks/index.ts';
import type { Usage } from './usage.ts';

/** Why a reply ended, in one vocabulary for every provider. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  /** The provider paused a long turn of its own tools and wants to be called again with the same content. */
  | 'pause'
  | 'context_exceeded'
  | 'interrupted'
  | 'error'
  | 'unknown';

/** What can go wrong with a call, decided once at the edge where it happened. */
export type ProviderErrorCode =
  | 'authentication'
  | 'permission'
  | 'rate_limit'
  | 'overloaded'
  | 'context_too_long'
  | 'history_rejected'
  /** The container that earlier code ran in is gone. */
  | 'container_expired'
  | 'invalid_request'
  | 'not_found'
  | 'refusal'
  | 'network'
  | 'timeout'
  | 'malformed'
  | 'server'
  | 'aborted';

/** An error as data: the code decides, the sentence is for people, and neither contains a secret or a prompt. */
export interface StreamError {
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly providerRequestId?: string;
}

/**
 * What a provider's response fold emits. Contract: once a stream exists nothing is thrown. It ends with exactly one
 * `stop`; if something went wrong, one `error` precedes it.
 *
 * `index` names the block that a delta belongs to: blocks are numbered in the order in which the provider opened them,
 * which is the order in which they are stored.
 */
export type StreamEvent =
  | { readonly type: 'start'; readonly responseId?: string; readonly model?: string }
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'thinking'; readonly index: number; readonly text: string }
  /** Completes the thinking block of this index, or stands alone if the block has no text of its own. */
  | { readonly type: 'signature'; readonly index: number; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly index: number; readonly data: string }
  | { readonly type: 'tool_call_start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly json: string }
  /** The call is complete: its arguments are parsed. Only such calls are ever executed or replayed. */
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  /** Any other content that the provider sent: kept whole, as a custom block. */
  | { readonly type: 'block'; readonly index: number; readonly block: ContentBlock }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'error'; readonly error: StreamError }
  | { readonly type: 'stop'; readonly reason: StopReason };
