import type { AttachedBlock, CanvasBlock, ContentBlock } from '../blocks/index.ts';
import type { NodeId, TurnId, TurnStatus } from '../entities/index.ts';
import type { StopReason, StreamEvent } from './events.ts';
import type { CallUsage } from './usage.ts';

/** One line of an NDJSON stream, before it gets its `seq`. */
export type LineBody =
  /** `append: true` continues the block of the previous line; without it a new block begins. */
  | { readonly type: 'text' | 'thinking' | 'thinking_signature'; readonly content: string; readonly append?: boolean }
  /** Control lines: a client may ignore them. */
  | {
      readonly type: 'turn';
      readonly turnId: TurnId;
      readonly branch: string;
      readonly isThinkingMode: boolean;
      readonly userNodeId: NodeId | null;
    }
  /** What follows belongs to this reply node, which exists once the turn has ended. */
  | { readonly type: 'node'; readonly nodeId: NodeId; readonly model: string }
  | { readonly type: 'block'; readonly block: ContentBlock }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'approval';
      readonly toolCallId: string;
      readonly name: string;
      readonly state: 'asked' | 'approved' | 'denied';
      /** Why it was declined, in the person's words. */
      readonly reason?: string;
    }
  | {
      readonly type: 'tool_result';
      readonly toolCallId: string;
      readonly content: string;
      /** Pictures and other files that the tool brought. */
      readonly files?: readonly AttachedBlock[];
      /** The version of the canvas that it made. */
      readonly canvas?: CanvasBlock;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  /** The provider refused for now, and is asked again after a pause. Whatever follows ends the wait. */
  | { readonly type: 'waiting'; readonly code: string; readonly milliseconds: number; readonly until: string }
  /** Something that whoever watches should know, and that stops nothing. */
  | {
      readonly type: 'notice';
      readonly code: string;
      readonly message: string;
      /** The names of files that came along into a new container, and of those that could not. */
      readonly brought?: readonly string[];
      readonly missing?: readonly string[];
    }
  | { readonly type: 'usage'; readonly usage: CallUsage; readonly cost: number | null }
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly retryable: boolean }
  | {
      readonly type: 'done';
      readonly status: Exclude<TurnStatus, 'running'>;
      readonly stopReason: StopReason;
      readonly nodeIds: readonly NodeId[];
    };

export type StreamLine = LineBody & { readonly seq: number };
/**
 * Sent while nothing happens, so that proxies and clients know that the stream is alive. It has no `seq` and is not
 * stored.
 */
export type HeartbeatLine = { readonly type: 'heartbeat' };

/**
 * Turns a reply's events into lines. Remembers which block was written last, because `append` is only true for a line
 * that continues it: interleaved deltas of two blocks must never run into each other on the client.
 */
export class LineWriter {
  #open: { type: 'text' | 'thinking'; index: number } | null = null;

  write(event: StreamEvent): LineBody | null {
    switch (event.type) {
      case 'text':
      case 'thinking':
        return this.#content(event.type, event.index, event.text);
      case 'signature':
        this.#open = null;
        return { type: 'thinking_signature', content: event.signature };
      case 'redacted_thinking':
        this.#open = null;
        return { type: 'block', block: { type: 'redacted_thinking', data: event.data } };
      case 'block':
        this.#open = null;
        return { type: 'block', block: event.block };
      case 'tool_call':
        this.#open = null;
        return { type: 'tool_call', id: event.id, name: event.name, parameters: event.parameters };
      case 'tool_call_start':
        this.#open = null;
        return null;
      case 'start':
      case 'tool_call_delta':
      // Usage, errors and the end of a call are reported by the engine: a turn may have several calls.
      case 'usage':
      case 'error':
      case 'stop':
        return null;
    }
  }

  #content(type: 'text' | 'thinking', index: number, content: string): LineBody {
    const append = this.#open?.type === type && this.#open.index === index;
    if (!append) this.#open = { type, index };
    return append ? { type, content, append: true } : { type, content };
  }
}
