import type {
  ContentBlock,
  ContextItem,
  Issuer,
  NodeId,
  ProtocolId,
  ProviderTool,
  RawEvent,
  RawResponse,
  StreamError,
  StreamEvent,
  ThinkingSetting,
  ToolDefinition,
} from '@bough/core';
import type { Deployment } from './deployment.ts';
import type { ModelInfo } from './models/model.ts';
import type { BodyText } from './render/body-text.ts';
import type { Violation } from './rulebook/rule.ts';

/**
 * `none` switches tools off without removing them: removing them would change the prefix. A call is forced only where
 * the model lets itself be forced; elsewhere it decides for itself.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Everything that a request is made from. The same input always gives the same bytes. */
export interface RenderInput {
  readonly items: readonly ContextItem[];
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  /** What the provider runs itself, in the order in which it is asked for. Absent: nothing. */
  readonly providerTools?: readonly ProviderTool[];
  /**
   * False right after the provider said that a container is gone: none that ran before is asked for. What is then sent
   * is stored as a rendering, so that later requests do not ask for it either.
   */
  readonly mayUseContainers?: boolean;
  /**
   * Beside that: the ids under which the provider now has the files of the conversation, for the new container. Stored
   * with the node whose container is gone, so that every later request brings them, too.
   */
  readonly containerFiles?: readonly string[];
  /** False right after the provider said that it no longer has a file: none is named in this request. */
  readonly mayBringFiles?: boolean;
  /** Asks the provider for a summary of everything instead of a reply, in these words. Only where it makes any. */
  readonly summarise?: string;
  /** The reply among the items, or before them, that stands for everything before it. */
  readonly summary?: NodeId;
  /** The messages with that reply, as text, where they stand before the items: headers ask for what they need. */
  readonly head?: string;
  readonly toolChoice: ToolChoice;
  readonly thinking: ThinkingSetting;
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly model: ModelInfo;
  readonly deployment: Deployment;
  /** The raw response of a node, or undefined if it was not kept. */
  readonly rawOf: (nodeId: NodeId) => RawResponse | undefined;
  /** What a node was rendered to before under this key; sent again byte for byte. */
  readonly renderingOf?: (nodeId: NodeId, key: string) => string | undefined;
  /** Names the tree that the conversation is part of, for providers that keep caches by name. */
  readonly cacheKey?: string;
  /** The provider's id of the reply that this request goes on from: its cache can be compared with that one. */
  readonly comparedWith?: string;
  /** OpenAI Responses: continue from this response; `items` still holds the full context in case of a refusal. */
  readonly previousResponse?: { readonly id: string; readonly nodeId: NodeId } | undefined;
}

/** What rendering did to a node beyond what assembly already reported. */
export interface RenderNote {
  readonly nodeId: NodeId;
  readonly reason:
    | 'raw_missing'
    | 'foreign_issuer'
    | 'thinking_unsigned'
    | 'thinking_not_replayable'
    | 'custom_block_not_sent'
    | 'tool_id_rewritten'
    | 'container_expired'
    | 'repaired';
  readonly detail: string;
}

/** A request, finished and checked, but not yet sent. It holds no secret: the transport adds authentication. */
export interface PreparedRequest {
  readonly protocol: ProtocolId;
  readonly issuer: Issuer;
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact JSON text that is sent, with a place for the bytes of every file: see `files/place.ts`. */
  readonly body: string;
  /** The same as bytes, in pieces, if most of them are stored. If absent, the sender encodes the body. */
  readonly pieces?: readonly Uint8Array[];
  /** The body in its parts; null if a message means nothing without the others, or a rule had to change one. */
  readonly text: BodyText | null;
  readonly stream: boolean;
  /** Whether the request names a container that an earlier reply ran code in. It may be gone. */
  readonly namesContainer?: boolean;
  /** Whether it names files that the provider was given for a container. It may have lost them. */
  readonly namesFiles?: boolean;
  /** Whether its newest message could bring files for a new container. */
  readonly takesContainerFiles?: boolean;
  /** What is to be stored with the reply to it, like a rendering: what the reply was made after. */
  readonly withReply?: { readonly key: string; readonly bytes: string };
  /** Nodes that are sent otherwise later (a container goes, a mark for the cache moves): their turns are not cached. */
  readonly openNodes?: readonly NodeId[];
  /** The secrets that its tools name. A place for any other was forged, in a file that somebody imported. */
  readonly secrets?: readonly string[];
  readonly notes: readonly RenderNote[];
  readonly violations: readonly Violation[];
  /** New renderings, to be stored so that they can be sent again byte for byte. */
  readonly renderings: readonly { readonly nodeId: NodeId; readonly key: string; readonly bytes: string }[];
}

/** What a protocol may look at besides the messages. */
export type Settings = Pick<RenderInput, 'tools' | 'thinking' | 'model' | 'deployment'>;

/**
 * Turns a provider's events into neutral ones: a fold. `push` takes one event as it arrived; `end` is called once, when
 * the stream closed, broke or was aborted. Neither ever throws; the events end with exactly one `stop`.
 */
export interface ResponseFold {
  readonly push: (event: RawEvent) => readonly StreamEvent[];
  readonly end: (outcome: StreamOutcome) => readonly StreamEvent[];
}

export type StreamOutcome =
  | { readonly type: 'closed' }
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly error: StreamError };

/** One wire format. Pure: nothing here touches the network. */
export interface Protocol {
  readonly id: ProtocolId;
  /** Builds the exact request and runs preflight on it. */
  readonly prepare: (input: RenderInput) => PreparedRequest;
  /** Names those settings that decide how messages are written and checked; absent if none do. */
  readonly manner?: (settings: Settings) => string;
  /** The ids in a message that no other message of a request may have. */
  readonly uniqueIds?: (message: unknown) => readonly string[];
  /** The common beginning of all its rendering keys for a deployment: only these are read back. */
  readonly renderingKeys: (deployment: Deployment) => string;
  readonly createFold: (issuer: Issuer) => ResponseFold;
  /** A reply that was not streamed, as the events that a stream would have given. */
  readonly foldBody: (body: string, issuer: Issuer) => readonly StreamEvent[];
  /** raw → canonical: pure, versioned; the same raw always gives the same blocks. */
  readonly toContentBlocks: (raw: RawResponse) => readonly ContentBlock[];
  /** An HTTP error response, classified. `body` may hold anything. */
  readonly readError: (status: number, body: string) => StreamError;
  /** Runs the rulebook on a finished body. */
  readonly check: (body: unknown, model: ModelInfo, deployment: Deployment) => readonly Violation[];
}
