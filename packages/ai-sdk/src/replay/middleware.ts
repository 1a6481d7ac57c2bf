import type { ModelIdentity } from '../target/index.ts';

/** What the bridge must find in a call's options; what else there is depends on the version of the AI SDK. */
export interface CallOptions {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
}

export interface WholeReply {
  readonly content: readonly { readonly type: string }[];
  readonly warnings: readonly { readonly type: string }[];
}

export interface StreamedReply {
  readonly stream: ReadableStream<unknown>;
}

/**
 * A middleware for `wrapLanguageModel` of the AI SDK 6 and 7. Each method gives back the type that its caller uses,
 * because each version refuses the types of the other.
 */
export interface ReplayMiddleware {
  readonly specificationVersion: 'v3';
  readonly transformParams: <Options extends CallOptions>(call: {
    readonly params: Options;
    readonly model: ModelIdentity;
  }) => Promise<Options>;
  readonly wrapGenerate: <Reply extends WholeReply>(call: {
    readonly doGenerate: () => PromiseLike<Reply>;
    readonly params: object;
  }) => Promise<Reply>;
  readonly wrapStream: <Reply extends StreamedReply>(call: {
    readonly doStream: () => PromiseLike<Reply>;
    readonly params: object;
  }) => Promise<Reply>;
}
