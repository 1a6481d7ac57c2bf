import type { StopReason, StreamError, StreamEvent, Usage } from '@bough/core';

/** What a reply is written with in a client's protocol. */
export interface WriteOptions {
  /** Letters and digits that no other reply has: its ids begin with the protocol's own prefixes. */
  readonly id: string;
  /** The model that the client asked for. */
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** What was sent, as far as it is known before the provider has counted. */
  readonly inputTokens: number;
  /** What the client gets as the signature of reasoning; null: nothing. It names the stored reply. */
  readonly token: string | null;
  /** The tool that the client offered under a name. */
  readonly toolOf: (name: string) => ClientTool;
  /** Chat: whether the client asked for a chunk with the usage. */
  readonly includeUsage?: boolean;
  /** Gemini without `alt=sse`: the chunks are the elements of one array. */
  readonly asArray?: boolean;
}

/** How the client writes calls of a tool. */
export interface ClientTool {
  readonly name: string;
  readonly kind: 'function' | 'custom';
  readonly namespace: string | null;
}

/**
 * Turns neutral events into one reply of a protocol: piece by piece for a client that streams, and whole for one that
 * does not. Nothing is written after the end.
 */
export interface ReplyWriter {
  /** What the client gets for an event; empty if it gets nothing. */
  readonly push: (event: StreamEvent) => string;
  /** The reply as one body, once the events have ended. */
  readonly body: () => unknown;
}

export type CreateWriter = (options: WriteOptions) => ReplyWriter;

/** What is known when a reply ends. */
export interface Ending {
  readonly reason: StopReason;
  readonly usage: Usage;
  readonly error: StreamError | null;
  /** Whether the model called a tool: some providers say so only by calling it. */
  readonly hasCalls: boolean;
}

/** Why a reply ended, as far as clients can be told: a call that waits for its result outweighs a vague reason. */
export function endOf({ reason, hasCalls }: Ending): 'done' | 'calls' | 'length' | 'stop_sequence' | 'refusal' {
  switch (reason) {
    case 'max_tokens':
    case 'context_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    case 'stop_sequence':
      return 'stop_sequence';
    // A person stopped it. Told as an error, the client would ask again.
    case 'interrupted':
    case 'end_turn':
    case 'tool_use':
    case 'pause':
    case 'error':
    case 'unknown':
      return hasCalls ? 'calls' : 'done';
  }
}
