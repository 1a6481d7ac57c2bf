import type { ProviderErrorCode } from '@bough/core';

/** Why the gateway itself does not, or cannot, carry a request out. */
export interface Refusal {
  readonly status: number;
  /** Words for a person: clients show them as they are. */
  readonly message: string;
  /** Whether the same request may succeed in a moment. Clients obey it where the status alone would mislead them. */
  readonly retry: boolean;
  readonly retryAfterSeconds?: number | undefined;
  /** What a provider said, where the status alone is not all that a client acts on. */
  readonly code?: ProviderErrorCode;
}

/** How a protocol says that something went wrong. */
export interface ErrorDialect {
  /** The body of an answer with this status. */
  readonly body: (refusal: Refusal) => string;
  /** An event within a stream that has begun: its status can no longer be changed. */
  readonly event: (refusal: Refusal) => string;
}
