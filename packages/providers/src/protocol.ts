import type {
  ContentBlock,
  ContextItem,
  Issuer,
  NodeId,
  ProtocolId,
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

/** Everything that a request is made of. The same input always gives the same bytes. */
export interface RenderInput {
  readonly items: readonly ContextItem[];
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  /** `none` switches tools off without removing them: removing them would change the prefix. */
  readonly toolChoice: 'auto' | 'none';
  readonly thinking: ThinkingSetting;
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly model: ModelInfo;
  readonly deployment: Deployment;
  /** The raw response of a node, or undefined where it was not kept. */
  readonly rawOf: (nodeId: NodeId) => RawResponse | undefined;
  /** What a node was rendered to before under this key; sent again byte for byte. */
  readonly renderingOf?: (nodeId: NodeId, key: string) => string | undefined;
  /** OpenAI Responses: continue from this response; `items` still holds the full context for the case of refusal. */
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
    | 'repaired';
  readonly detail: string;
}

/** A request, finished and checked, not yet sent. It holds no secret: authentication is added by the transport. */
export interface PreparedRequest {
  readonly protocol: ProtocolId;
  readonly issuer: Issuer;
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact JSON text that leaves. */
  readonly body: string;
  /** The same as bytes, in pieces, where most of them are stored. Absent: whoever sends it encodes it. */
  readonly pieces?: readonly Uint8Array[];
  /** The body in its parts; null where a message says nothing without the others, or a rule had to change one. */
  readonly text: BodyText | null;
  readonly stream: boolean;
  readonly notes: readonly RenderNote[];
  readonly violations: readonly Violation[];
  /** New renderings, to be stored so that they can be sent again byte for byte. */
  readonly renderings: readonly { readonly nodeId: NodeId; readonly key: string; readonly bytes: string }[];
}

/** What a protocol may look at beside the messages. */
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
  /** Names what of the settings decides how messages are written and judged; absent where nothing does. */
  readonly manner?: (settings: Settings) => string;
  /** The ids of a message that no other message of a request may have. */
  readonly uniqueIds?: (message: unknown) => readonly string[];
  /** How the keys of all its renderings for a deployment begin: only these are read back. */
  readonly renderingKeys: (deployment: Deployment) => string;
  readonly createFold: (issuer: Issuer) => ResponseFold;
  /** A reply that was not streamed, as the events that a stream would have given. */
  readonly foldBody: (body: string, issuer: Issuer) => readonly StreamEvent[];
  /** raw → canonical: pure, versioned; gives the same blocks for the same raw for ever. */
  readonly toContentBlocks: (raw: RawResponse) => readonly ContentBlock[];
  /** An HTTP error response, classified. `body` may hold anything. */
  readonly readError: (status: number, body: string) => StreamError;
  /** Runs the rulebook on a finished body. */
  readonly check: (body: unknown, model: ModelInfo, deployment: Deployment) => readonly Violation[];
}
