import type { ContentBlock, ProtocolId, Role, ThinkingSetting, ToolDefinition } from '@bough/core';

/** What a client said, read from its body; the body itself stays as it came. */
export interface ClientBody {
  readonly protocol: ProtocolId;
  readonly model: string;
  readonly stream: boolean;
  /** The texts of the system prompt, in order. */
  readonly system: readonly string[];
  /** The client's own tools; it runs them itself. */
  readonly tools: readonly ToolDefinition[];
  /** What the provider is asked to run, as it came. */
  readonly providerTools: readonly unknown[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  /** Null if the client does not say. */
  readonly thinking: ThinkingSetting | null;
  readonly maxTokens: number | null;
  readonly messages: readonly ClientMessage[];
  /** The whole body. */
  readonly text: string;
  /** The same, parsed. */
  readonly json: () => Readonly<Record<string, unknown>>;
  /** Set where its beginning was read before, and not once more. */
  readonly resumed?: Resumed | undefined;
}

/** How a body was read whose beginning is that of an earlier one. */
export interface Resumed {
  /** Messages from this one on were read. Those before are the earlier body's, to the byte. */
  readonly from: number;
  /** The body as far as it was read: everything around its messages, the first of them, and those from `from` on. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Where the list of messages stands in the whole text. */
  readonly list: { readonly from: number; readonly to: number };
}

/** Consecutive elements of the client's list that are one message: with OpenAI Responses, all items of a reply. */
export interface ClientMessage {
  /** Where its JSON begins in the body's text. */
  readonly from: number;
  /** Where it ends; commas between its elements included. */
  readonly to: number;
  /** The nodes that it becomes: each tool result is one. */
  readonly parts: readonly ClientPart[];
}

export interface ClientPart {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
  readonly toolCallId?: string | undefined;
  readonly isError?: boolean | undefined;
  /** Files whose bytes are in the body itself. */
  readonly files: readonly ClientFile[];
  /**
   * Equal for everything that a client may change without meaning it: cache marks, reasoning that it left out, white
   * space at the ends, the order of keys, a text as a string or as a block, the ids of calls.
   */
  readonly likeness: string;
}

export interface ClientFile {
  readonly mediaType: string;
  readonly name: string | null;
  readonly bytes: () => Uint8Array;
  /** How many of the part's blocks come before it. */
  readonly at: number;
}
