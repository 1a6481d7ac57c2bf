import type { SecretOf } from './secrets/index.ts';
import type { Issuer, RawResponse, StreamEvent } from '@bough/core';
import type { ProviderCheck } from './check/index.ts';
import type { Deployment } from './deployment.ts';
import type { ModelDescription } from './models/facts.ts';
import type { ModelInfo } from './models/model.ts';
import type { PreparedRequest, RenderInput } from './protocol.ts';
import type { ReadBlob } from './transport/fill/index.ts';
import type { Uploaded, UploadedFile } from './transport/upload/index.ts';
import type { Forwarded, ForwardInput } from './transport/forward/index.ts';

/** What arrived together: the provider's event stream unchanged, and what it means. */
export interface ReplyBatch {
  /**
   * The texts of all batches together are the reply as received. One may end inside an event that the next one
   * completes.
   */
  readonly text: string;
  /** Deltas that continue each other are one event. */
  readonly events: readonly StreamEvent[];
}

/** A running reply. Iterating never throws: a failure is an `error` event before the final `stop`. */
export interface Reply {
  readonly batches: AsyncIterable<ReplyBatch>;
  /** Known once the response headers arrived; never rejects. */
  readonly head: Promise<{
    readonly providerRequestId: string | null;
    /** How long the provider asks to wait before the next request; null if it does not say. */
    readonly retryAfterMs: number | null;
  }>;
  /** The raw captured so far; complete once `batches` is exhausted and the provider finished its reply. */
  readonly raw: () => RawResponse;
}

/** What a request is made from, for a provider that knows itself. */
export type ProviderInput = Omit<RenderInput, 'deployment' | 'model'> & { readonly model: string };

/** Why a provider cannot be called: it needs a key, and there is none for its address. */
export interface KeyProblem {
  readonly code: 'provider_not_ready' | 'key_for_other_address' | 'key_unreadable';
  /** What happened and what to do, in words for people. */
  readonly message: string;
}

/** What came of looking a model up. */
export interface FoundModel {
  readonly description: ModelDescription;
  /**
   * `known`: the catalogue or the configuration has it. `listed`: the vendor's list does. `missing`: the whole list was
   * read, and it is not there. `unasked`: the list could not be read, or proves nothing.
   */
  readonly existence: 'known' | 'listed' | 'missing' | 'unasked';
  /** Names that were perhaps meant; only if it is missing. */
  readonly near: readonly string[];
  /** Why the list could not be read; null if it was, or was not needed. */
  readonly problem: string | null;
}

/** Before the same request is sent again. */
export interface SendPause {
  /** What was wrong: the code of the error that the provider answered with. */
  readonly code: string;
  readonly milliseconds: number;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Told before every pause: whoever waits wants to know why, and for how long. */
  readonly onPause?: ((pause: SendPause) => void) | undefined;
  /** Somebody else's client waits: it decides how long, and whether to ask again. */
  readonly forClient?: boolean | undefined;
  /** Where the files of the request are read from. Without it, a request that names one is not sent. */
  readonly readBlob?: ReadBlob | undefined;
}

/** A deployment that can be called: all that the engine knows about a provider. */
export interface Provider {
  readonly deployment: Deployment;
  /** Null if the provider can be called. */
  readonly keyProblem: KeyProblem | null;
  /** The secrets that servers behind it are shown: for asking whether there is one, and for sending. */
  readonly secretOf: SecretOf;
  readonly issuer: (model: string) => Issuer;
  /** What is known about a model now. */
  readonly modelInfo: (model: string) => ModelInfo;
  /**
   * Looks a model up, in the vendor's own list too if Bough does not list it. Whoever calls this before a request gets
   * the same facts from `modelInfo` from then on. Takes a few seconds at most, and never rejects. A vendor that did not
   * answer is asked again soon for a new branch, and much later for a message: it must not hold up every one of them.
   */
  readonly findModel: (model: string, purpose: 'branching' | 'calling') => Promise<FoundModel>;
  /** The common beginning of the rendering keys that `prepare` asks for. */
  readonly renderingKeys: string;
  /** The exact request, without sending it. */
  readonly prepare: (input: ProviderInput) => PreparedRequest;
  readonly send: (request: PreparedRequest, options: SendOptions) => Reply;
  /** Gives the vendor a file, for containers; null where it takes none. Never rejects. */
  readonly upload: ((file: UploadedFile, signal: AbortSignal) => Promise<Uploaded>) | null;
  /** Sends another client's request as it is. Never rejects. */
  readonly forward: (input: ForwardInput) => Promise<Forwarded>;
  /** Asks the provider whether its address and its key work, as cheaply as it can be asked. Never rejects. */
  readonly check: () => Promise<ProviderCheck>;
}
