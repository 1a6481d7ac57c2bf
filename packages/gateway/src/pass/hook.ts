import type { ProjectId, ProtocolId, StreamError } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Operation } from '../address/index.ts';

/** What came from a client, before anything is sent. It holds no secret: key headers and `?key=` are taken out. */
export interface Arrival {
  readonly provider: Provider;
  /** The client's protocol; also that of the deployment, or the request is not offered to the hook. */
  readonly protocol: ProtocolId;
  readonly operation: Exclude<Operation, 'other'>;
  /** The project that the address or `x-bough-project` names. */
  readonly project: ProjectId | null;
  /** If the path names it, as Gemini's do; otherwise it is in the body. */
  readonly model: string | null;
  /** If the path says it. */
  readonly streamed: boolean | null;
  readonly method: string;
  /** The vendor's path with its query: `/v1/messages?beta=true`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked, if it came packed; it leaves as it came. */
  readonly body: Uint8Array;
  /** Aborts when the client leaves or the server stops. */
  readonly signal: AbortSignal;
}

/** What is done with a request. */
export type Plan = ForwardPlan | AnswerPlan;

export interface ForwardPlan {
  readonly type: 'forward';
  /** If absent, the client's bytes leave exactly as they came. */
  readonly body?: Uint8Array;
  readonly tap: Tap;
}

/** Nothing is forwarded: a route, a budget, a refusal. */
export interface AnswerPlan {
  readonly type: 'answer';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** If it throws, the client's connection is cut. If the client leaves, its `return()` runs. */
  readonly body: AsyncIterable<Uint8Array> | Uint8Array;
}

/** Sees a reply before the client does. */
export interface Tap {
  /** Ends the call: somebody interrupts it on the page. */
  readonly signal?: AbortSignal;
  /** Added to the client's response. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The reply begins, and the client has seen nothing of it. Another plan is carried out instead, once at most; this
   * tap ends as `replaced` then.
   */
  readonly head?: (head: ReplyHead) => Promise<Plan | null> | Plan | null;
  /**
   * Every byte, in order; the client gets it once this has resolved. What arrives in the meantime is joined and given
   * next. After a rejection no more pieces come.
   */
  readonly piece: (bytes: Uint8Array) => Promise<void> | void;
  /** Exactly once, as the last thing. The client's response ends after it. */
  readonly end: (outcome: Outcome) => Promise<void> | void;
}

export interface ReplyHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a refusal (status 400 and above), read in advance up to a megabyte; null for a reply. */
  readonly refusal: Uint8Array | null;
}

export type Outcome =
  | { readonly type: 'complete' }
  /** The client went away. */
  | { readonly type: 'left' }
  /** Interrupted by the tap's signal, or by the end of the server. */
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: StreamError }
  /** Another plan was carried out instead. */
  | { readonly type: 'replaced' }
  /** A piece could not be kept; the client gets the rest unrecorded. */
  | { readonly type: 'lost' };

/**
 * Looks at a client's request before it leaves; null lets it pass unrecorded. A rejection means that it cannot be
 * recorded: `whenStoreFails` decides.
 */
export type ConversationHook = (arrival: Arrival) => Promise<Plan | null>;
