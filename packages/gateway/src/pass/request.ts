import type { ProtocolId } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Address, Asked } from '../address/index.ts';
import type { HeaderRecord } from './headers.ts';
import type { Keys } from './keys.ts';
import type { RunningCall } from './running.ts';

/** A request as it came, before anybody looked at it. */
export interface ClientRequest {
  readonly method: string;
  /** The path and the query of the request line. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: HeaderRecord;
  /** Null if the request has no body. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: HeaderRecord;
  /** If it throws, the connection is to be cut. Its `return` must be called where it is not read to its end. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Somebody tried a key that is not the token of this server. */
  readonly isWrongToken?: boolean;
}

/** A request that was let in, on its way to a provider. */
export interface Passage {
  readonly request: ClientRequest;
  readonly address: Address;
  readonly keys: Keys;
  readonly asked: Asked;
  readonly provider: Provider;
  /** The client's protocol, as far as its path tells. */
  readonly protocol: ProtocolId;
  readonly call: RunningCall;
}

/** What is sent. */
export interface Content {
  readonly bytes: Uint8Array | ReadableStream<Uint8Array> | null;
  /** The length that the client announced, for bytes that are not all here yet. */
  readonly length?: string | undefined;
  /** Whether these are not the client's bytes any more: then they are not packed as its bytes were. */
  readonly isChanged?: boolean;
}
